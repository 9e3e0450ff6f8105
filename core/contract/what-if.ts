import type { z } from 'zod'
import { CompactInput } from './compaction.ts'
import { PresetName } from './settings.ts'

/** Values in `settings` override those of the preset, and those override the configured ones. */
export const WhatIfInput = CompactInput.extend({ preset: PresetName.optional().describe('values of a known system') })
export type WhatIfInput = z.infer<typeof WhatIfInput>
