import type { z } from 'zod'
import { CompactInput } from './compaction.ts'
import { PresetName } from './settings.ts'

/** Values in `settings` go before those of the preset, and those before the configured ones. */
export const WhatIfInput = CompactInput.extend({ preset: PresetName.optional() })
export type WhatIfInput = z.infer<typeof WhatIfInput>
