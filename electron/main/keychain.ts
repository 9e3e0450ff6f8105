import { join } from 'node:path'
import { app, safeStorage } from 'electron'
import type { KeyStorage } from '#core/doors/core-host.ts'
import { keepsSecrets } from '#core/platform.ts'

/**
 * Where the keys of model providers are kept: a file of this app, each key encrypted by the desktop's keychain. Null
 * where there is none.
 * Known only once the app is ready. https://www.electronjs.org/docs/latest/api/safe-storage
 */
export function keychain(): KeyStorage | null {
  if (!safeStorage.isEncryptionAvailable()) return null
  if (!keepsSecrets(() => safeStorage.getSelectedStorageBackend())) return null
  return {
    path: join(app.getPath('userData'), 'keys.json'),
    cipher: {
      encrypt: (text) => safeStorage.encryptStringAsync(text),
      decrypt: async (bytes) => (await safeStorage.decryptStringAsync(Buffer.from(bytes))).result,
    },
  }
}
