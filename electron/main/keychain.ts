import { join } from 'node:path'
import { app, safeStorage } from 'electron'
import type { KeyStorage } from '#core/doors/core-host.ts'

/**
 * Where the keys of model providers are kept: a file of this app, each key encrypted by the desktop's keychain. Null
 * where there is none. Electron then has a password of its own on Linux, which everybody knows: that keeps no secret.
 * Known only once the app is ready. https://www.electronjs.org/docs/latest/api/safe-storage
 */
export function keychain(): KeyStorage | null {
  if (!safeStorage.isEncryptionAvailable()) return null
  if (process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text') return null
  return {
    path: join(app.getPath('userData'), 'keys.json'),
    cipher: {
      encrypt: (text) => safeStorage.encryptStringAsync(text),
      decrypt: async (bytes) => (await safeStorage.decryptStringAsync(Buffer.from(bytes))).result,
    },
  }
}
