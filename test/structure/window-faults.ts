/** Faults that the window once had, by the file and the title of the test that fails if one comes back. */
export const WINDOW_FAULTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'test/agents/expand-query/passages.test.ts': {
    'shows a passage as it is stored, also where it repeats a summary that counts as no source of itself': [
      'A passage of an answer has holes',
    ],
    'marks in each passage the words of the question, with another ending too, and none that only makes a sentence': [
      'The passages of an answer mark no word of the question',
    ],
  },
  'test/browse/history/summary-dag.test.ts': {
    'names messages and summaries by how their texts begin, numbers messages, and leaves out what is not in the file': [
      'A message has three numbers and an id',
      'Ids stand where words would say more',
    ],
  },
  'test/doctor/salvage/salvage-memory.test.ts': {
    'names a lost message only by its place in its conversation when its id is known, too': [
      'The report of a salvage names one loss twice',
    ],
  },
  'test/doctor/working-copy/by-design.test.ts': {
    'keeps what is a known exception when a finding of the same rule beside it is repaired': [
      'A known exception of a system is repaired as damage',
    ],
  },
  'test/doctor/working-copy/copy-differences.test.ts': {
    'the report of a copy names what copying settled and what it brought, until that is repaired': [
      'A working copy has other findings than its original, without a word',
    ],
  },
  'test/e2e/accessibility.e2e.ts': {
    'every dialog and empty state can be read and operated by everybody, dark and light': [
      'The list of keys cannot be scrolled by keys',
    ],
  },
  'test/e2e/compaction.e2e.ts': {
    'a compaction goes from decision to plan, confirmation, run and result, the figures follow, and it is taken back': [
      'A compaction cannot be undone',
    ],
  },
  'test/e2e/compare.e2e.ts': {
    'a comparison asks what is compared first, differences are walked by keyboard, and a copied link shows the same': [
      'Opening the comparison starts a long job',
    ],
  },
  'test/e2e/context.e2e.ts': {
    'the context window lists each item with its reason, and shows what a smaller budget leaves out': [
      'Words are cut or alone on a line although there is room',
    ],
  },
  'test/e2e/frame.e2e.ts': {
    'the right panel opens for a selection, and every column has room from 900 to 2560 pixels': [
      'Settings have no way back but a guess',
      'A wide window is half empty',
    ],
  },
  'test/e2e/integrity.e2e.ts': {
    'a plan is applied after a confirmation, and the file is checked again': [
      'A button that cannot be pressed does not say why',
      'What is safe and what a rewrite is stands nowhere',
    ],
  },
  'test/e2e/keyboard.e2e.ts': {
    'the palette reaches views, actions, conversations and ids, every view has its key, and ? lists them': [
      'The list of conversations is one stop of the keyboard more than its rows',
    ],
  },
  'test/e2e/lineage.e2e.ts': {
    'the graph holds every summary, finds one by its words, and keys lead to sources, dependents and neighbours': [
      'The graph takes no focus, so that keys do nothing in it',
    ],
  },
  'test/e2e/live.e2e.ts': {
    'what an agent writes meanwhile is shown by itself, and can be paused': [
      'A file that never changes is called live',
    ],
  },
  'test/e2e/logs.e2e.ts': {
    'the log shows what was done, in charts, lines and jobs, also after the window is loaded anew': [
      'A duration of the log is cut',
    ],
  },
  'test/e2e/one-window.e2e.ts': {
    'a session over its budget has the same window in every view': [
      'Two views measure one window against different thresholds',
      'A window that the file does not store is told as the fact',
      'A conversation without a title is called by the id of its session',
    ],
  },
  'test/e2e/opening-check.e2e.ts': {
    'a copy says what copying changed, and offers all steps of its plan where none is safe': [
      'A plan without a safe step offers nothing',
    ],
  },
  'test/e2e/probe.e2e.ts': {
    'a probe asks, shows the trace of a question, compares with a compaction, and is written down': [
      'Recall is always 100 %, because everything can be searched',
    ],
  },
  'test/e2e/search.e2e.ts': {
    'what is typed right after the slash is kept, however late the search is loaded': [
      'The first letters after the slash are lost while the search is loaded',
    ],
    'a hit names as many covering summaries as have room for a dozen characters each, and counts the others': [
      'A hit says "under" without the name of a summary behind it',
    ],
    'the filters of a narrow Find take two lines, with a button for the others, and those that limit the hits stay in sight':
      [
        'The filters of a narrow Find take five lines',
        'A search says all, both, and in or out where nothing is limited',
      ],
    'a question is answered with passages, modes and filters narrow a search, and an empty result is reported': [
      'A passage of another conversation does not say of which',
      'Who answers a question is called a summariser',
      'An answer lists more passages than anybody reads',
    ],
  },
  'test/e2e/settings.e2e.ts': {
    'a setting is found by words, an invalid value is refused in its field, and a valid one is kept': [
      'Settings say in other words than people which value counts',
      'A setting says that it is a number, and not of what',
    ],
    'the settings need no memory, and a model is added, tested and put into the order of models': [
      'The order of models is called a chain',
    ],
  },
  'test/e2e/sql.e2e.ts': {
    'a statement has an address, gives rows and files, is kept under a name, and cannot write': [
      'The number after a table of SQL is not said to be of columns',
      'The rows of a table are not counted where it is named',
    ],
    'a statement is typed in colours, and Tab completes a name of the memory': [
      'A statement is typed without colours, and no name is completed',
    ],
  },
  'test/e2e/start.e2e.ts': {
    'a run has the same size in the loss report of its conversation and in the history of compactions': [
      'One compaction has two sizes',
    ],
    'the first view of a file answers four questions, and leads from words to what became of them': [
      'The first view explains nothing',
      'A lost detail beside a compaction is cut to its border',
    ],
    'the curve of the window leads to its messages and runs, and all conversations stand in a table': [
      'The table of conversations claims an order that it has not',
      'The scale of what compactions freed is cut at the left',
      'All conversations have an empty area between few rows and the curve',
      'What compactions freed has no unit',
    ],
    'the first view draws its answers before the figures that follow them': [
      'A prompt cache that is not recorded takes the best place of the first view',
    ],
  },
  'test/e2e/storage.e2e.ts': {
    'the bytes of a small file are measured at once, and stay measured after a reload': [
      'The storage of a small file waits for a click',
      'A ledger can be begun on the command line alone',
    ],
  },
  'test/e2e/strata.e2e.ts': {
    'a drag marks messages, limits transcript and search to them, and stands in a saved picture': [
      'More messages are marked than the conversation has, and nothing says so',
    ],
  },
  'test/e2e/trace.e2e.ts': {
    'the words of a search travel: a hit is traced for them, in its own conversation, and a question begins with them':
      [
        'The words of a search are lost on the way to Trace and Ask',
        'A hit is traced while the frame shows another conversation',
      ],
    'a chosen hit leads to where its words are now, what lost them and how to get them back, without leaving the search':
      ['A hit leads nowhere without leaving the search', 'The way to get something back is cut at the right'],
  },
  'test/e2e/transcript.e2e.ts': {
    'keys move from message to message, tool calls unfold, and the transcript scrolls to any selection': [
      'The marks beside a message have no word, and the heads of its stripes are letters',
    ],
  },
  'test/e2e/views.e2e.ts': {
    'every dialog and empty state looks as recorded at': [
      'The dialog for a side of a comparison hides its fields',
      'The dialog for a new batch run is torn',
    ],
  },
  'test/e2e/welcome.e2e.ts': {
    'a memory with a damaged page is one page that leads to salvage, in place of views that cannot read it': [
      'A file with damaged pages is a dead end in every view',
      'The report of a salvage vanishes as soon as it is done',
    ],
    'a backup is not listed as a memory, and what was opened before stands once': [
      'A memory that was opened before stands in the list several times',
    ],
    'a typed path opens a memory, and a wrong one is answered with reason and next step': [
      'A typed path goes nowhere, because its field has no focus',
    ],
  },
  'test/renderer/compaction.test.ts': {
    'counts the details that are lost or changed, and says when there are none': [
      'A plan has numbers, and neither words nor losses',
    ],
    'is said once where level and maker are the same': [
      'A summary is said to be made twice in other words: by its level and by its maker',
    ],
    'counts the messages and earlier summaries that leave, and the summaries that come': [
      'The right side of a what-if says that nothing leaves, above messages that become summaries',
    ],
  },
  'test/renderer/compare.test.ts': {
    'are both as they are now when one becomes another conversation or memory': [
      'Two memories are compared at different moments, so that nothing differs',
    ],
  },
  'test/renderer/format.test.ts': {
    'have a decimal place only where it matters': ['A small share is rounded away'],
  },
  'test/renderer/frame.test.ts': {
    'has these tabs in each view, with and without a selection': [
      'The right panel holds plans, settings and figures beside the detail of the selection',
    ],
  },
  'test/renderer/graph-anchor.test.ts': {
    'shows everything at full size in the middle when it fits': ['The graph stands in the lower half of its place'],
  },
  'test/renderer/integrity-findings.test.ts': {
    'are labelled by what was found, in words': ['A finding in the drawing is called by its code'],
  },
  'test/renderer/integrity.test.ts': {
    'has a title in plain words': ['A finding is headed by a code'],
  },
  'test/renderer/item-rows.test.ts': {
    'folds items in a row that are left out, and counts their tokens': [
      'The list of the window begins with what the model does not see',
    ],
  },
  'test/renderer/named-parts.test.ts': {
    'tells the ids in a sentence from its words, also one that stands in it twice': ['The reason of an item names ids'],
  },
  'test/renderer/palette.test.ts': {
    'offers six views of a conversation, two of its file, and the others in menus': [
      'Fifteen views stand side by side',
      'Notes and batch runs are tabs for one sentence',
    ],
    'begins with what was used last and the newest conversations, and ends with the views': [
      'The palette begins with all views',
    ],
  },
  'test/renderer/repair.test.ts': {
    'is all of them when all are wanted, without those that only a person can do': [
      'A repair begins with nothing ticked, and has no way to tick all',
    ],
    'says why first, and which rows only when it is unfolded': ['A step of a repair begins with names of tables'],
  },
  'test/renderer/salvage-text.test.ts': {
    'names the messages that are missing between those that were found page by page': [
      'The report of a salvage does not name messages that are lost between others',
    ],
  },
  'test/renderer/search-filters.test.ts': {
    'writes a day of a filter as days are written, and none in words': [
      'A day of a filter is written in the order of the browser',
    ],
  },
  'test/renderer/search-passage.test.ts': {
    'is prose without signs of Markdown, and its matches stay on their words': [
      'The passage of a hit has signs of Markdown and JSON in it',
    ],
  },
  'test/renderer/start-curve.test.ts': {
    'names in its key the depths of the summaries that are marked': ['The marks of the window over time have no key'],
  },
  'test/renderer/start.test.ts': {
    'says that a layer stands for no more than is stored': ['Layers stand for more tokens than are stored'],
  },
  'test/renderer/strata-drawing.test.ts': {
    'have names in words, in fewer of them where the drawing is narrow': [
      'The rows of the drawing have codes for names',
    ],
  },
  'test/renderer/strata-labels.test.ts': {
    'say of a run that only pruned that it did': ['What an agent pruned is called a compaction'],
  },
  'test/renderer/trace-ladder.test.ts': {
    'is that it is known where any place still stands in the window': [
      'What is known is called lost, because one of its places is',
    ],
    'leaves out small numbers that say nothing alone': ['The list of what was lost with it begins with line numbers'],
    'is prose without signs of Markdown, and its marks stay on their words; what a tool says is as it is': [
      'The passage of a trace has signs of Markdown in it',
    ],
    'shows the input of a tool without its escapes, also where it begins in the middle of a text': [
      'The passage of a trace shows line breaks of the input of a tool as signs',
    ],
  },
  'test/renderer/transcript-blocks.test.ts': {
    'tell the end of the range of a summary, which the gutter shows, from a compaction of an agent': [
      'The transcript says after every second message that the range of a summary ends',
    ],
  },
  'test/renderer/welcome.test.ts': {
    'names memories of one name with their folders, also where the other one is not shown': [
      'Memories of one name are told apart by their paths only',
    ],
  },
  'test/renderer/whole-layout.test.ts': {
    'all summaries are shown at first where their cards can be read, in the middle of their place': [
      'The graph begins with its upper part cut, though all of it could be read',
    ],
  },
  'test/structure/source-rules.test.ts': {
    'say each thing with the one word of the glossary': ['One thing has four names'],
    'call a message by its place in the conversation, and never by the number that the file stores': [
      'A message has three numbers and an id',
    ],
  },
  'test/trace/followed-words.test.ts': {
    'says of a message what became of the searched words, and not of everything else that it says': [
      'A hit is judged by everything in its message, not by the searched words',
    ],
  },
  'test/trace/ladders.test.ts': {
    'ends at the window that the model is given, without what is left out of it': [
      'A trace and the window say different figures of what the model sees',
    ],
    'marks the words that are traced, and not the whole line in which they stand': [
      'A trace of a word marks whole lines',
    ],
    'says that nothing left the window when it was said again before the summary that dropped it was made': [
      'A trace says that words were out of the window for less than no time',
    ],
  },
}
