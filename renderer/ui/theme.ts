import { useSyncExternalStore } from 'react'

/** What the user chose; `system` follows the desktop. */
export type ThemeChoice = 'system' | 'dark' | 'light'
export type Theme = 'dark' | 'light'

const KEY = 'lcm:theme'
const CHANGED = 'lcm:theme'
const prefersLight = () => window.matchMedia('(prefers-color-scheme: light)')

/** The remembered choice. */
function themeChoice(): ThemeChoice {
  const stored = localStorage.getItem(KEY)
  return stored === 'dark' || stored === 'light' ? stored : 'system'
}

/** Remembers a choice and shows it at once. */
export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, choice)
  applyTheme()
}

/** Puts the theme on the page and keeps it in step with the desktop. Called once, before anything is drawn. */
export function startTheme(): void {
  applyTheme()
  prefersLight().addEventListener('change', applyTheme)
  window.addEventListener('storage', (event) => {
    if (event.key === KEY) applyTheme()
  })
}

function applyTheme(): void {
  const choice = themeChoice()
  document.documentElement.dataset.theme = choice === 'system' ? (prefersLight().matches ? 'light' : 'dark') : choice
  window.dispatchEvent(new Event(CHANGED))
}

const currentTheme = (): Theme => (document.documentElement.dataset.theme === 'light' ? 'light' : 'dark')

function subscribe(onChange: () => void): () => void {
  window.addEventListener(CHANGED, onChange)
  return () => window.removeEventListener(CHANGED, onChange)
}

/** The theme that is shown now. Canvases draw again when it changes. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme)

/** The user's choice. */
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, themeChoice)

/** The value of a colour token, for what is not drawn with CSS: `tokenColor('leaf')`. */
export const tokenColor = (token: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${token}`).trim()
