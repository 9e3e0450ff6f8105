/** Procedures of the contract that have no recorded answer, each with the reason. A new procedure has to be asked or to stand here. */
export const NOT_RECORDED: Readonly<Record<string, string>> = {
  'machine.forgetRecent': 'It changes the list of recent files.',
  'machine.importNew': 'It writes a new memory.',
  'machine.salvage': 'It writes a new memory.',
  'machine.sample': 'It writes a copy of the sample memory.',
  'memory.copy': 'It writes a new memory.',
  'retrieval.outline': 'It repeats what other procedures answer: test/retrieval/outline asks for it.',
  'retrieval.guidelines': 'It counts what other procedures answer: test/retrieval/outline asks for it.',
  'retrieval.revokeGrant': 'It changes a grant.',
  'settings.save': 'It writes the settings file.',
  'settings.setKey': 'It writes a key.',
  'settings.testProvider': 'It calls a model.',
  'ledger.agree': 'It writes what the user agreed to.',
  'files.read': 'It reads files beside the memory, which recorded files do not have.',
  'files.check': 'It reads files beside the memory, which recorded files do not have.',
  'map.runs': 'What is recorded beside a memory is no part of it: test/map asks for it.',
  'map.steps': 'What is recorded beside a memory is no part of it: test/map asks for it.',
  'jobs.start': 'Jobs that only read are recorded by their results.',
  'jobs.cancel': 'It ends a job.',
  'activity.log': 'It shows what this program did, with its times.',
  'activity.history': 'It shows what this program did, with its times.',
  'activity.prometheus': 'It counts what this program did.',
  events: 'It tells when something happens, and here nothing does.',
}

/** Kinds of jobs whose result is not recorded, each with the reason. */
export const JOBS_NOT_RECORDED: Readonly<Record<string, string>> = {
  compact: 'It writes summaries.',
  repair: 'It writes.',
  surgery: 'It writes.',
  undo: 'It writes.',
  import: 'It writes messages.',
  index: 'It writes a search index.',
}
