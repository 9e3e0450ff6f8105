import { startRecording } from '#core/doors/recording.ts'
import { elapsedMs, errorFields, levelOfError, logEvent } from '#core/log.ts'

export type RecordedCommand = {
  /** Records how the command ended, after it has answered. */
  end(exitCode: number, error: unknown): Promise<void>
}

/** Records what happens while a command runs. */
export function recordCommand(command: string, version: string): RecordedCommand {
  const recorder = startRecording(process.env)
  const start = performance.now()
  logEvent('debug', 'command', 'command.started', { command, version })
  return {
    end: async (exitCode, error) => {
      const fields = { command, exit_code: exitCode, duration_ms: elapsedMs(start) }
      if (error === null) logEvent('info', 'command', 'command.done', fields)
      else {
        const { error_code = 'internal', ...rest } = errorFields(error)
        logEvent(levelOfError(error_code), 'command', 'command.failed', { ...fields, error_code, ...rest })
      }
      await recorder.close()
    },
  }
}
