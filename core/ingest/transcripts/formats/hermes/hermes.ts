import type { TranscriptFormat } from '#core/ingest/transcripts/format.ts'
import { hermesStore } from './store.ts'

/**
 * Hermes Agent keeps all sessions in one database, `state.db`. There is no file of its own for a session.
 * https://github.com/NousResearch/hermes-agent
 */
export const hermes: TranscriptFormat = {
  id: 'hermes',
  label: 'Hermes Agent',
  detect: () => 0,
  read: async function* () {},
  store: hermesStore,
}
