/** What a person can do where the app cannot, and what stays lost. By check. */
export type ManualNote = { readonly advice: string; readonly cannotRestore: string | null }

const NOTES: Readonly<Record<string, ManualNote>> = {
  sqlite_integrity: {
    advice: 'Save what can be read into a new file ("lcm salvage"), or restore a backup; repair the copy.',
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

const fromElsewhere = (advice: string): ManualNote => ({
  advice: `${advice} Messages are never changed by the app.`,
  cannotRestore: 'What stood there first is only in a backup or the transcript.',
})
const ofSystem = (advice: string): ManualNote => ({ advice, cannotRestore: null })

/** What a check found that no step of a plan settles. */
const MORE_NOTES: Readonly<Record<string, ManualNote>> = {
  source_gap: ofSystem(
    'Expand the summary and read it beside its sources. Write it anew if it tells of something else.',
  ),
  impossible_time: fromElsewhere('Look at the messages beside it, and at the transcript, for when it was said.'),
  time_order: fromElsewhere('Compare with the transcript which of the two is wrong, the order or the time.'),
  creation_time: ofSystem('Nothing has to be done: order and lineage do not rest on this time.'),
  sequence_duplicate: fromElsewhere('Compare with the transcript ("lcm coverage") which message comes first.'),
  sequence_gap: fromElsewhere('Compare with the transcript ("lcm coverage"), which names what is missing.'),
  duplicate_message: fromElsewhere('Compare with the transcript ("lcm coverage"), which names what arrived twice.'),
  duplicate_tool_result: fromElsewhere('Compare with the transcript which result is the right one.'),
  invalid_value: fromElsewhere('Restore a backup, or import the transcript into a new memory.'),
  part_missing: fromElsewhere('Compare with the transcript, or import it into a new memory.'),
  part_order: fromElsewhere('Compare with the transcript, or import it into a new memory.'),
  part_session: fromElsewhere('Compare with the transcript to which session the part belongs.'),
  part_text: fromElsewhere('Compare with the transcript which of the two texts was said.'),
  tool_result_uncalled: fromElsewhere('Nothing has to be done unless a provider refuses the window.'),
  archived_but_active_flag: ofSystem('Let its own system put the conversation aside again, or take it up.'),
  ingest_state: ofSystem(
    'Let its own system read the transcript from the start again; "lcm coverage" names what never arrived.',
  ),
  focus_source_missing: ofSystem('Let its own system make the brief anew.'),
  frontier_beyond_messages: ofSystem(
    'Stop the agent before it goes on, and restore a backup; a working copy ("lcm copy") shows all messages at once.',
  ),
  exploration_missing: ofSystem('Open the file itself: an agent that is told what is in it can ask for it.'),
  summariser_session: ofSystem('Leave these conversations out of searches: choose the one that is asked about.'),
  misfiled_message: ofSystem('Look for the message in its own conversation, where it stands as well.'),
  reingested_summary: ofSystem('Read what stands behind the summaries in it: that is what was said.'),
  duplicate_file: ofSystem('Nothing has to be done: any of the rows leads to the file.'),
  file_reference_lost: ofSystem('Expand the summary: its sources name the file.'),
  file_lines: ofSystem('Compare the file with the transcript before relying on it.'),
  schema_incomplete: ofSystem('Start its own system once with a copy of the file: most versions add what is missing.'),
  log_broken: ofSystem(
    'Keep the file and its -wal together as they are, and save what can be read ("lcm salvage") into a new one.',
  ),
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

export const manualNote = (check: string): ManualNote =>
  NOTES[check] ?? MORE_NOTES[check] ?? (check.startsWith('ledger_') ? LEDGER : OTHER)
