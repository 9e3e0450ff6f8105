import { useSyncExternalStore } from 'react'

const THEMES = ['dark', 'light', 'contrast'] as const
export type Theme = (typeof THEMES)[number]
/** The user's choice. `system` follows the desktop. */
export type ThemeChoice = 'system' | Theme

/** Every choice with its name, in the order in which they are offered. */
export const THEME_CHOICES: readonly { readonly value: ThemeChoice; readonly label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'dark', label: 'Dark' },
  { value: 'light', label: 'Light' },
  { value: 'contrast', label: 'High contrast' },
]

const KEY = 'lcm:theme'
const CHANGED = 'lcm:theme'
const prefersLight = () => window.matchMedia('(prefers-color-scheme: light)')
const prefersContrast = () => window.matchMedia('(prefers-contrast: more)')
const hasForcedColors = () => window.matchMedia('(forced-colors: active)')

const isTheme = (text: string | undefined | null): text is Theme => THEMES.some((theme) => theme === text)

/** Returns the stored choice. */
function themeChoice(): ThemeChoice {
  const stored = localStorage.getItem(KEY)
  return isTheme(stored) ? stored : 'system'
}

/** Returns the theme that a choice means on this desktop. Forced colours come before every choice. */
function themeOf(choice: ThemeChoice): Theme {
  const isForced = hasForcedColors().matches
  if (choice !== 'system' && !isForced) return choice
  if (prefersLight().matches) return 'light'
  return isForced || prefersContrast().matches ? 'contrast' : 'dark'
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
  for (const query of [prefersLight(), prefersContrast(), hasForcedColors()])
    query.addEventListener('change', applyTheme)
  window.addEventListener('storage', (event) => {
    if (event.key === KEY) applyTheme()
  })
}

function applyTheme(): void {
  document.documentElement.dataset.theme = themeOf(themeChoice())
  window.dispatchEvent(new Event(CHANGED))
}

function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset
  return isTheme(theme) ? theme : 'dark'
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener(CHANGED, onChange)
  return () => window.removeEventListener(CHANGED, onChange)
}

/** Returns the present theme. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme)

/** Returns a text that changes with the colours of the page, so that canvases are drawn again. */
export const useColours = (): string =>
  useSyncExternalStore(subscribe, () => `${currentTheme()}${hasForcedColors().matches ? ', forced' : ''}`)

/** Returns the user's choice. */
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, themeChoice)

/** Returns the value of a colour token for drawing without CSS, as `#rrggbb`: `tokenColor('leaf')`. */
export function tokenColor(token: string): string {
  const value = getComputedStyle(document.documentElement).getPropertyValue(`--${token}`).trim()
  return value.startsWith('#') ? sixDigits(value) : systemColor(token)
}

/** Built style sheets write `#ffffff` as `#fff`. */
const sixDigits = (hex: string): string => (hex.length === 4 ? hex.replace(/[\da-f]/gi, '$&$&') : hex)

/** With forced colours a token names a colour of the system, which only the style of an element resolves. */
function systemColor(token: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(--${token})`
  document.documentElement.append(probe)
  const canvas = document.createElement('canvas').getContext('2d')
  if (canvas !== null) canvas.fillStyle = getComputedStyle(probe).color
  probe.remove()
  canvas?.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = canvas?.getImageData(0, 0, 1, 1).data ?? []
  return `#${[red, green, blue].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
