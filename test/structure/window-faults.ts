/** A fault that the window once had, and the test that fails if it comes back. */
type WindowFault = { readonly fault: string; readonly file: string; readonly title: string }

const dialogs = {
  file: 'test/e2e/views.e2e.ts',
  title: 'every dialog and empty state looks as recorded at',
} as const
const travel = {
  file: 'test/e2e/trace.e2e.ts',
  title:
    'the words of a search travel: a hit is traced for them, in its own conversation, and a question begins with them',
} as const

const oneWindow = {
  file: 'test/e2e/one-window.e2e.ts',
  title: 'a session over its budget has the same window in every view',
} as const

/** Faults by the job that they stopped or misled: finding, compacting, repairing, comparing, looking around. */
export const WINDOW_FAULTS: readonly WindowFault[] = [
  {
    fault: 'The first letters after the slash are lost while the search is loaded',
    file: 'test/e2e/search.e2e.ts',
    title: 'what is typed right after the slash is kept, however late the search is loaded',
  },
  { fault: 'The words of a search are lost on the way to Trace and Ask', ...travel },
  { fault: 'A hit is traced while the frame shows another conversation', ...travel },
  {
    fault: 'A hit is judged by everything in its message, not by the searched words',
    file: 'test/trace/followed-words.test.ts',
    title: 'says of a message what became of the searched words, and not of everything else that it says',
  },
  {
    fault: 'What is known is called lost, because one of its places is',
    file: 'test/renderer/trace-ladder.test.ts',
    title: 'is that it is known where any place still stands in the window',
  },
  {
    fault: 'A hit leads nowhere without leaving the search',
    file: 'test/e2e/trace.e2e.ts',
    title:
      'a chosen hit leads to where its words are now, what lost them and how to get them back, without leaving the search',
  },
  {
    fault: 'Recall is always 100 %, because everything can be searched',
    file: 'test/e2e/probe.e2e.ts',
    title: 'a probe asks, shows the trace of a question, compares with a compaction, and is written down',
  },
  {
    fault: 'The list of what was lost with it begins with line numbers',
    file: 'test/renderer/trace-ladder.test.ts',
    title: 'leaves out small numbers that say nothing alone',
  },
  {
    fault: 'A compaction cannot be undone',
    file: 'test/e2e/compaction.e2e.ts',
    title:
      'a compaction goes from decision to plan, confirmation, run and result, the figures follow, and it is taken back',
  },
  {
    fault: 'One compaction has two sizes',
    file: 'test/e2e/start.e2e.ts',
    title: 'a run has the same size in the loss report of its conversation and in the history of compactions',
  },
  { fault: 'Two views measure one window against different thresholds', ...oneWindow },
  {
    fault: 'A plan has numbers, and neither words nor losses',
    file: 'test/renderer/compaction.test.ts',
    title: 'counts the details that are lost or changed, and says when there are none',
  },
  {
    fault: 'A summary is said to be made twice in other words: by its level and by its maker',
    file: 'test/renderer/compaction.test.ts',
    title: 'is said once where level and maker are the same',
  },
  {
    fault: 'A known exception of a system is repaired as damage',
    file: 'test/doctor/working-copy/by-design.test.ts',
    title: 'keeps what is a known exception when a finding of the same rule beside it is repaired',
  },
  {
    fault: 'A working copy has other findings than its original, without a word',
    file: 'test/doctor/working-copy/copy-differences.test.ts',
    title: 'the report of a copy names what copying settled and what it brought, until that is repaired',
  },
  {
    fault: 'A file with damaged pages is a dead end in every view',
    file: 'test/e2e/welcome.e2e.ts',
    title: 'a memory with a damaged page is one page that leads to salvage, in place of views that cannot read it',
  },
  {
    fault: 'A repair begins with nothing ticked, and has no way to tick all',
    file: 'test/renderer/repair.test.ts',
    title: 'is all of them when all are wanted, without those that only a person can do',
  },
  {
    fault: 'A step of a repair begins with names of tables',
    file: 'test/renderer/repair.test.ts',
    title: 'says why first, and which rows only when it is unfolded',
  },
  {
    fault: 'A finding is headed by a code',
    file: 'test/renderer/integrity.test.ts',
    title: 'has a title in plain words',
  },
  { fault: 'The dialog for a side of a comparison hides its fields', ...dialogs },
  { fault: 'The dialog for a new batch run is torn', ...dialogs },
  {
    fault: 'Two memories are compared at different moments, so that nothing differs',
    file: 'test/renderer/compare.test.ts',
    title: 'are both as they are now when one becomes another conversation or memory',
  },
  {
    fault: 'Opening the comparison starts a long job',
    file: 'test/e2e/compare.e2e.ts',
    title:
      'a comparison asks what is compared first, differences are walked by keyboard, and a copied link shows the same',
  },
  {
    fault: 'Fifteen views stand side by side',
    file: 'test/renderer/palette.test.ts',
    title: 'offers six views of a conversation, two of its file, and the others in menus',
  },
  {
    fault: 'The right panel holds plans, settings and figures beside the detail of the selection',
    file: 'test/renderer/frame.test.ts',
    title: 'has these tabs in each view, with and without a selection',
  },
  {
    fault: 'One thing has four names',
    file: 'test/structure/source-rules.test.ts',
    title: 'say each thing with the one word of the glossary',
  },
  {
    fault: 'The first view explains nothing',
    file: 'test/e2e/start.e2e.ts',
    title: 'the first view of a file answers four questions, and leads from words to what became of them',
  },
  {
    fault: 'The rows of the drawing have codes for names',
    file: 'test/renderer/strata-drawing.test.ts',
    title: 'have names in words, in fewer of them where the drawing is narrow',
  },
  {
    fault: 'A message has three numbers and an id',
    file: 'test/browse/history/summary-dag.test.ts',
    title:
      'names messages and summaries by how their texts begin, numbers messages, and leaves out what is not in the file',
  },
  {
    fault: 'The list of the window begins with what the model does not see',
    file: 'test/renderer/item-rows.test.ts',
    title: 'folds items in a row that are left out, and counts their tokens',
  },
  {
    fault: 'Layers stand for more tokens than are stored',
    file: 'test/renderer/start.test.ts',
    title: 'says that a layer stands for no more than is stored',
  },
  {
    fault: 'A small share is rounded away',
    file: 'test/renderer/format.test.ts',
    title: 'have a decimal place only where it matters',
  },
  {
    fault: 'Settings have no way back but a guess',
    file: 'test/e2e/frame.e2e.ts',
    title: 'the right panel opens for a selection, and every column has room from 900 to 2560 pixels',
  },
  {
    fault: 'A memory that was opened before stands in the list several times',
    file: 'test/e2e/welcome.e2e.ts',
    title: 'a backup is not listed as a memory, and what was opened before stands once',
  },
  {
    fault: 'The way to get something back is cut at the right',
    file: 'test/e2e/trace.e2e.ts',
    title:
      'a chosen hit leads to where its words are now, what lost them and how to get them back, without leaving the search',
  },
  {
    fault: 'What an agent pruned is called a compaction',
    file: 'test/renderer/strata-labels.test.ts',
    title: 'say of a run that only pruned that it did',
  },
  {
    fault: 'The number after a table of SQL is not said to be of columns',
    file: 'test/e2e/sql.e2e.ts',
    title: 'a statement has an address, gives rows and files, is kept under a name, and cannot write',
  },
  {
    fault: 'The table of conversations claims an order that it has not',
    file: 'test/e2e/start.e2e.ts',
    title: 'the curve of the window leads to its messages and runs, and all conversations stand in a table',
  },
  {
    fault: 'Words are cut or alone on a line although there is room',
    file: 'test/e2e/context.e2e.ts',
    title: 'the context window lists each item with its reason, and shows what a smaller budget leaves out',
  },
  {
    fault: 'The marks of the window over time have no key',
    file: 'test/renderer/start-curve.test.ts',
    title: 'names in its key the depths of the summaries that are marked',
  },
  {
    fault: 'A wide window is half empty',
    file: 'test/e2e/frame.e2e.ts',
    title: 'the right panel opens for a selection, and every column has room from 900 to 2560 pixels',
  },
  {
    fault: 'The transcript says after every second message that the range of a summary ends',
    file: 'test/renderer/transcript-blocks.test.ts',
    title: 'tell the end of the range of a summary, which the gutter shows, from a compaction of an agent',
  },
  {
    fault: 'The passage of a hit has signs of Markdown and JSON in it',
    file: 'test/renderer/search-passage.test.ts',
    title: 'is prose without signs of Markdown, and its matches stay on their words',
  },
  {
    fault: 'A hit says "under" without the name of a summary behind it',
    file: 'test/e2e/search.e2e.ts',
    title: 'a hit names as many covering summaries as have room for a dozen characters each, and counts the others',
  },
  {
    fault: 'The report of a salvage vanishes as soon as it is done',
    file: 'test/e2e/welcome.e2e.ts',
    title: 'a memory with a damaged page is one page that leads to salvage, in place of views that cannot read it',
  },
  {
    fault: 'More messages are marked than the conversation has, and nothing says so',
    file: 'test/e2e/strata.e2e.ts',
    title: 'a drag marks messages, limits transcript and search to them, and stands in a saved picture',
  },
  {
    fault: 'The passage of a trace has signs of Markdown in it',
    file: 'test/renderer/trace-ladder.test.ts',
    title: 'is prose without signs of Markdown, and its marks stay on their words; what a tool says is as it is',
  },
  {
    fault: 'A lost detail beside a compaction is cut to its border',
    file: 'test/e2e/start.e2e.ts',
    title: 'the first view of a file answers four questions, and leads from words to what became of them',
  },
  {
    fault: 'The scale of what compactions freed is cut at the left',
    file: 'test/e2e/start.e2e.ts',
    title: 'the curve of the window leads to its messages and runs, and all conversations stand in a table',
  },
  {
    fault: 'The list of keys cannot be scrolled by keys',
    file: 'test/e2e/accessibility.e2e.ts',
    title: 'every dialog and empty state can be read and operated by everybody, dark and light',
  },
  {
    fault: 'A day of a filter is written in the order of the browser',
    file: 'test/renderer/search-filters.test.ts',
    title: 'writes a day of a filter as days are written, and none in words',
  },
  {
    fault: 'The reason of an item names ids',
    file: 'test/renderer/named-parts.test.ts',
    title: 'tells the ids in a sentence from its words, also one that stands in it twice',
  },
  {
    fault: 'The passages of an answer mark no word of the question',
    file: 'test/agents/expand-query/passages.test.ts',
    title:
      'marks in each passage the words of the question, with another ending too, and none that only makes a sentence',
  },
  {
    fault: 'The storage of a small file waits for a click',
    file: 'test/e2e/storage.e2e.ts',
    title: 'the bytes of a small file are measured at once, and stay measured after a reload',
  },
  {
    fault: 'The palette begins with all views',
    file: 'test/renderer/palette.test.ts',
    title: 'begins with what was used last and the newest conversations, and ends with the views',
  },
  {
    fault: 'Memories of one name are told apart by their paths only',
    file: 'test/renderer/welcome.test.ts',
    title: 'names memories of one name with their folders, also where the other one is not shown',
  },
  {
    fault: 'A file that never changes is called live',
    file: 'test/e2e/live.e2e.ts',
    title: 'what an agent writes meanwhile is shown by itself, and can be paused',
  },
  {
    fault: 'The list of conversations is one stop of the keyboard more than its rows',
    file: 'test/e2e/keyboard.e2e.ts',
    title: 'the palette reaches views, actions, conversations and ids, every view has its key, and ? lists them',
  },
  { fault: 'A window that the file does not store is told as the fact', ...oneWindow },
  { fault: 'A conversation without a title is called by the id of its session', ...oneWindow },
  {
    fault: 'All conversations have an empty area between few rows and the curve',
    file: 'test/e2e/start.e2e.ts',
    title: 'the curve of the window leads to its messages and runs, and all conversations stand in a table',
  },
  {
    fault: 'The filters of a narrow Find take five lines',
    file: 'test/e2e/search.e2e.ts',
    title:
      'the filters of a narrow Find take two lines, with a button for the others, and those that limit the hits stay in sight',
  },
  {
    fault: 'The passage of a trace shows line breaks of the input of a tool as signs',
    file: 'test/renderer/trace-ladder.test.ts',
    title: 'shows the input of a tool without its escapes, also where it begins in the middle of a text',
  },
  {
    fault: 'The report of a salvage does not name messages that are lost between others',
    file: 'test/renderer/salvage-text.test.ts',
    title: 'names the messages that are missing between those that were found page by page',
  },
  {
    fault: 'A prompt cache that is not recorded takes the best place of the first view',
    file: 'test/e2e/start.e2e.ts',
    title: 'the first view draws its answers before the figures that follow them',
  },
  {
    fault: 'A typed path goes nowhere, because its field has no focus',
    file: 'test/e2e/welcome.e2e.ts',
    title: 'a typed path opens a memory, and a wrong one is answered with reason and next step',
  },
  {
    fault: 'Settings say in other words than people which value counts',
    file: 'test/e2e/settings.e2e.ts',
    title: 'a setting is found by words, an invalid value is refused in its field, and a valid one is kept',
  },
  {
    fault: 'The graph takes no focus, so that keys do nothing in it',
    file: 'test/e2e/lineage.e2e.ts',
    title: 'the graph holds every summary, finds one by its words, and keys lead to sources, dependents and neighbours',
  },
  {
    fault: 'Ids stand where words would say more',
    file: 'test/browse/history/summary-dag.test.ts',
    title:
      'names messages and summaries by how their texts begin, numbers messages, and leaves out what is not in the file',
  },
  {
    fault: 'A search says all, both, and in or out where nothing is limited',
    file: 'test/e2e/search.e2e.ts',
    title:
      'the filters of a narrow Find take two lines, with a button for the others, and those that limit the hits stay in sight',
  },
]
