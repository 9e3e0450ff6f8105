import { useSyncExternalStore } from 'react'

/** The user's choice. `system` follows the desktop. */
export type ThemeChoice = 'system' | 'dark' | 'light'
export type Theme = 'dark' | 'light'

const KEY = 'lcm:theme'
const CHANGED = 'lcm:theme'
const prefersLight = () => window.matchMedia('(prefers-color-scheme: light)')

/** Returns the stored choice. */
function themeChoice(): ThemeChoice {
  const stored = localStorage.getItem(KEY)
  return stored === 'dark' || stored === 'light' ? stored : 'system'
}

/** Stores a choice and applies it at once. */
export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, choice)
  applyTheme()
}

/** Applies the theme to the page, and follows the desktop. Called once before anything is drawn. */
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

/** Returns the present theme. Canvases draw again when it changes. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme)

/** Returns the user's choice. */
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, themeChoice)

/** Returns the value of a colour token for drawing without CSS: `tokenColor('leaf')`. */
export const tokenColor = (token: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${token}`).trim()
