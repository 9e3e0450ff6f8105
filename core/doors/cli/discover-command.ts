import { isoMinute } from '../../clock.ts'
import type { Define, Run } from './command.ts'
import type { Answer } from './output.ts'
import type { Installation } from './serve-command.ts'
import { bytes, count, table } from './text.ts'

/** Adds the command discover: what agents keep on this machine. */
export function addDiscoverCommand(define: Define, run: Run, { resourcesDir }: Installation): void {
  run(
    define('discover', 'memories and transcripts in their usual places on this machine'),
    async (): Promise<Answer> => {
      const { Machine } = await import('../../machine/machine.ts')
      const machine = new Machine({ env: process.env, resourcesDir })
      const memories = await machine.discover()
      const transcripts = machine.discoverTranscripts()
      const text = (): string =>
        [
          memories.length === 0 ? 'No memory stands in a usual place.' : '',
          memories.length > 0
            ? table(
                ['memory', 'system', 'bytes', 'changed', 'path'],
                memories.map((one) => [
                  one.label,
                  one.system ?? 'damaged',
                  bytes(one.bytes),
                  isoMinute(one.modifiedAtMs),
                  one.path,
                ]),
              )
            : '',
          transcripts.length > 0
            ? `\n${table(
                ['transcripts of', 'agent', 'files', 'bytes', 'changed'],
                transcripts.map((one) => [
                  one.label,
                  one.agent,
                  count(one.files),
                  bytes(one.bytes),
                  isoMinute(one.modifiedAtMs),
                ]),
              )}`
            : '',
        ]
          .filter((part) => part !== '')
          .join('\n')
      return { json: { memories, transcripts }, text }
    },
  )
}
