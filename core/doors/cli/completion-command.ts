import { z } from 'zod'
import { defineCommand } from './command.ts'

export const completion = defineCommand({
  name: 'completion',
  example: 'completion bash >> ~/.bashrc',
  fields: z.object({ shell: z.enum(['bash', 'zsh', 'fish']).meta({ description: 'the shell', value: 'shell' }) }),
  positional: ['shell'],
  run: async ({ shell }, { lists }) => {
    const { completionScript } = await import('./completion-scripts.ts')
    const script = await completionScript(shell, await lists())
    return { json: { shell, script }, text: () => script.trimEnd() }
  },
})
