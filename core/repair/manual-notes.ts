/** What a person can do where the app cannot, and what stays lost. By check. */
export type ManualNote = { readonly advice: string; readonly cannotRestore: string | null }

const NOTES: Readonly<Record<string, ManualNote>> = {
  sqlite_integrity: {
    advice: 'Save what can be read into a new file, or restore a backup; repair the copy.',
    cannotRestore: 'Rows on pages that cannot be read are lost unless a backup or the transcript holds them.',
  },
  table_lost: {
    advice:
      'Restore a backup, or import the transcript again. Nothing is repaired without the table: it would be taken for what is right.',
    cannotRestore: 'What stood in the table is nowhere else in the file.',
  },
  foreign_keys: {
    advice:
      'What refers to missing canonical rows cannot be put right from this file: restore a backup, or import the transcript again.',
    cannotRestore: 'Rows that are gone are not recorded anywhere else in the file.',
  },
  content_hash: {
    advice:
      'Compare with the transcript or a backup. Messages are never changed by the app, not even to put them right.',
    cannotRestore: 'The text that was stored first is not in the file any more.',
  },
  tool_pair_split: {
    advice:
      'Dissolve the summary that covers the other half. A half that stands alone is left out when the window is sent.',
    cannotRestore: null,
  },
  file_missing: {
    advice: 'Put the file back at its place, or allow the folder in which it lies.',
    cannotRestore: 'The content of a file that is nowhere is lost; its reference and its exploration summary stay.',
  },
  file_reference_unknown: {
    advice: 'Import the transcript again, or accept that the reference leads nowhere.',
    cannotRestore: 'Nothing in the file says what the reference stood for.',
  },
  file_outside_store: {
    advice: 'Move the file into the files folder, or allow the folder in which it lies.',
    cannotRestore: null,
  },
  never_compacted: { advice: 'Compact the conversation.', cannotRestore: null },
  compaction_failing: {
    advice: 'Look at the runs and their stop reasons, then test the provider in Settings.',
    cannotRestore: null,
  },
  malformed_json: {
    advice: 'The damaged field belongs to a message and is never changed; everything else of its row is read.',
    cannotRestore: 'What the field said is only in a backup or the transcript.',
  },
}

const LEDGER: ManualNote = {
  advice:
    'Verify the ledger, then end it and begin a new one in a file of its own, which holds all that the database has. The old one stays as it is.',
  cannotRestore: null,
}

const OTHER: ManualNote = {
  advice:
    'No rule says what is right here. Look at the findings: a single summary can be rewritten, or dissolved into its sources.',
  cannotRestore: null,
}

export const manualNote = (check: string): ManualNote => NOTES[check] ?? (check.startsWith('ledger_') ? LEDGER : OTHER)
