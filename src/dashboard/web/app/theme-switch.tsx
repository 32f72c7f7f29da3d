import { signal } from '@preact/signals';

const ICONS = { system: '◐', light: '○', dark: '●' } as const;

/** Chooses the next theme: that of the system, light or dark. */
export function ThemeSwitch() {
  const name = theme.value;
  const next = THEMES[(THEMES.indexOf(name) + 1) % THEMES.length]!;
  const label = `Theme: ${name}. Change to ${next}`;
  return (
    <button class="icon-button" aria-label={label} title={label} onClick={() => chooseTheme(next)}>
      <span aria-hidden="true">{ICONS[name]}</span>
    </button>
  );
}

/** The themes that a user can choose. */
const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const COOKIE = 'trawl-theme';
const YEAR_S = 365 * 24 * 60 * 60;

/** The chosen theme. The server writes it into the page, so that no other one flashes up. */
const theme = signal<Theme>(THEMES.find((one) => one === document.documentElement.dataset['theme']) ?? 'system');

/** Changes with the colours on the screen. Drawings read them again. */
export const colorChanges = signal(0);

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => colorChanges.value++);

function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  showTheme(chosen);
  document.cookie = `${COOKIE}=${chosen}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`;
}

function showTheme(shown: Theme): void {
  if (shown === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = shown;
  colorChanges.value++;
}

// Drawings have no style sheet: they are drawn again for paper, and for the screen.
addEventListener('beforeprint', () => showTheme('light'));
addEventListener('afterprint', () => showTheme(theme.value));
