import { z } from 'zod'
import type { JsonObject } from '#core/ingest/transcripts/json-value.ts'

/** What has to be known of the beginning of a log to read the rest of it. */
const Place = z.object({ sessionId: z.string(), title: z.string().nullable() })
export type KimiPlace = z.infer<typeof Place>

export const placeIn = (given: JsonObject | null): KimiPlace | null => Place.safeParse(given).data ?? null
