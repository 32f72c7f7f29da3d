import { chooseTheme, theme, THEMES } from './theme.ts';

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
