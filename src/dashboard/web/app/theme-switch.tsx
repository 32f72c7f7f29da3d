import { chooseTheme, theme, THEMES } from './theme.ts';

const ICONS = {
  system: 'M3 4.500h14v9H3zM7 17h6M10 13.500V17',
  light:
    'M10 6.500a3.500 3.500 0 1 0 0 7a3.500 3.500 0 1 0 0-7M10 1.500v2M10 16.500v2M1.500 10h2M16.500 10h2M4 4l1.400 1.400M14.600 14.600L16 16M4 16l1.400-1.400M14.600 5.400L16 4',
  dark: 'M16.500 12A7 7 0 0 1 8 3.500a7 7 0 1 0 8.500 8.500',
} as const;

/** Chooses the next theme: that of the system, light or dark. */
export function ThemeSwitch() {
  const name = theme.value;
  const next = THEMES[(THEMES.indexOf(name) + 1) % THEMES.length]!;
  const label = `Theme: ${name}. Change to ${next}`;
  return (
    <button class="icon-button" aria-label={label} title={label} onClick={() => chooseTheme(next)}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d={ICONS[name]} />
      </svg>
    </button>
  );
}
