import { Recorder } from '../activity/recorder.ts'
import type { LogLevel } from '../contract/lists.ts'
import { LcmError } from '../errors.ts'
import { type Environment, userFolders } from '../folders.ts'
import { loadSettings } from '../settings/settings-store.ts'

/** Records what happens in this thread, in the user's folders. It never fails. */
export function startRecording(env: Environment): Recorder {
  return new Recorder({ folder: userFolders(env).log, level: logLevel(env) })
}

function logLevel(env: Environment): LogLevel {
  try {
    return loadSettings(env).logLevel
  } catch (error) {
    // Whoever needs the settings says what is wrong with them.
    if (error instanceof LcmError) return 'info'
    throw error
  }
}
