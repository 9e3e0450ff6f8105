import { EventEmitter } from 'node:events'
import { openWindows } from './open-windows.mjs'

/** `themeSource` reaches every page as `prefers-color-scheme`; the system itself is light. */
class NativeTheme extends EventEmitter {
  #source = 'system'

  get themeSource() {
    return this.#source
  }

  set themeSource(source) {
    this.#source = source
    for (const window of openWindows) void window.webContents.emulateColorScheme(source)
    this.emit('updated')
  }

  get shouldUseDarkColors() {
    return this.#source === 'dark'
  }

  shouldUseHighContrastColors = false
}

export const nativeTheme = new NativeTheme()
