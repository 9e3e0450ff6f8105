import { z } from 'zod'
import { defineCommand } from '../command.ts'
import { documentAnswer, documentFile } from '../output/output-file.ts'

export const completion = defineCommand({
  name: 'completion',
  example: 'completion bash >> ~/.bashrc',
  fields: z.object({
    shell: z.enum(['bash', 'zsh', 'fish']).meta({ description: 'the shell', value: 'shell' }),
    ...documentFile,
  }),
  positional: ['shell'],
  run: async ({ shell, ...file }, { lists }) => {
    const { completionScript } = await import('../completion-scripts.ts')
    const script = await completionScript(shell, await lists())
    const answer = { json: { shell, script }, text: () => script.trimEnd() }
    return documentAnswer({ answer, ...file, source: null })
  },
})
