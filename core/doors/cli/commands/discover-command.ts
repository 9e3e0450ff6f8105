import { z } from 'zod'
import { isoMinute } from '#core/clock.ts'
import { FoundMemory, FoundTranscripts } from '#core/contract/machine.ts'
import { sizeText } from '#core/text.ts'
import { defineCommand } from '../command.ts'
import { count, table } from '../output/text.ts'

export const discover = defineCommand({
  name: 'discover',
  example: 'discover',
  prints: z.object({ memories: z.array(FoundMemory), transcripts: z.array(FoundTranscripts) }),
  run: async (_input, { installation: { resourcesDir } }) => {
    const { Machine } = await import('#core/machine/machine.ts')
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
                sizeText(one.bytes),
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
                sizeText(one.bytes),
                isoMinute(one.modifiedAtMs),
              ]),
            )}`
          : '',
      ]
        .filter((part) => part !== '')
        .join('\n')
    return { json: { memories, transcripts }, text }
  },
})
