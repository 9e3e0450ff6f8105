// How fast the window is and how soon it follows an agent: a group of the benchmark. `npm run bench -- window` measures it
// alone; with LCM_BENCH_LARGE=1 also on a million messages.
import { parseArgs } from 'node:util'
import installBuild from '../builders/built-program.ts'
import { benchOptions } from './bench-options.ts'
import type { FrameFigures } from './frame-figures.ts'
import { largeMemory } from './large-memory.ts'
import { type AppStartMeasure, measureAppStart } from './measure-app-start.ts'
import { type LiveMeasure, measureLive } from './measure-live.ts'
import { measureWindow, type WindowMeasure } from './measure-window.ts'
import { figure, fixed, printTable, type Row } from './rows.ts'
import type { Tries } from './tries.ts'

type WindowMeasures = {
  readonly started: AppStartMeasure
  readonly drawn: WindowMeasure
  readonly drawnLarger: WindowMeasure | null
  readonly live: { readonly native: LiveMeasure; readonly foreign: LiveMeasure }
}

/** Measures the window of a memory with so many messages, and of a million when that is asked for. */
export async function measureWindows(messages: number, say: (line: string) => void): Promise<WindowMeasures> {
  say('starting the app')
  const started = await measureAppStart()
  const larger = process.env.LCM_BENCH_LARGE ? await largeMemory(1_000_000, say) : null
  const drawn = await measureWindow((await largeMemory(messages, say)).path)
  const drawnLarger = larger && (await measureWindow(larger.path))
  say('the window beside an agent')
  const live = { native: await measureLive('native', messages), foreign: await measureLive('foreign', messages) }
  return { started, drawn, drawnLarger, live }
}

export const windowRows = ({ started, drawn, drawnLarger, live }: WindowMeasures): Row[] => [
  figure(
    'window: start of the packed app to its first paint ÷ npm start',
    `${fixed(started.share, 2)}, ${fixed(started.packedMs)} ms after ${fixed(started.beforeElectronMs)} of npm start`,
    '≤ 0.8',
  ),
  ...drawnRows(drawn, '', { cold: '< 1000 ms', again: '< 400 ms' }),
  ...(drawnLarger ? drawnRows(drawnLarger, ' of a million messages', { cold: '< 3000 ms', again: '< 1000 ms' }) : []),
  ...liveRows(live.native, 'native file', 'p95 ≤ 250 ms'),
  ...liveRows(live.foreign, 'file of lossless-claw', 'p95 ≤ 500 ms'),
]

const triesRow = (what: string, { p50, p95, max }: Tries, goal: string): Row =>
  figure(what, `p50 ${p50}, p95 ${p95}, max ${max} ms`, goal)

const liveRows = (
  { messageToRow, hostMsOfEach, pageMsOfEach, idleMsOfSecond }: LiveMeasure,
  of: string,
  goal: string,
): Row[] => [
  triesRow(`window, ${of}: message written to its row`, messageToRow, goal),
  [
    `window, ${of}: processor time of each message`,
    '',
    `host ${fixed(hostMsOfEach)}, page ${fixed(pageMsOfEach)} ms`,
    '',
  ],
  [`window, ${of}: processor time of a second without one`, '', `${fixed(idleMsOfSecond)} ms`, ''],
]

type Goals = { readonly cold: string; readonly again: string }

function drawnRows(drawn: WindowMeasure, of: string, goals: Goals): Row[] {
  const { costs, ownMegabytes, residentMegabytes, heapMegabytes } = drawn
  const tries = (what: string, taken: Tries, goal: string): Row => triesRow(`window${of}: ${what}`, taken, goal)
  const frames = (what: string, { framesPerSecond, p95Ms }: FrameFigures, goal: string): Row =>
    figure(`window${of}: ${what}`, `${fixed(framesPerSecond, 1)} frames/s, p95 ${p95Ms} ms`, goal)
  return [
    figure(`window${of}: first paint`, `${fixed(drawn.firstPaintMs)} ms`, '< 1000 ms'),
    figure(`window${of}: strata drawn, core just started`, `${fixed(drawn.firstDrawMs)} ms`, goals.cold),
    figure(`window${of}: strata drawn, after a reload`, `${fixed(drawn.secondDrawMs)} ms`, goals.again),
    figure(`window${of}: first view answered, after a reload`, `${fixed(drawn.firstViewMs)} ms`, '< 300 ms'),
    frames('panning', drawn.pan, 'p95 ≤ 18 ms'),
    frames('zooming', drawn.zoom, 'p95 ≤ 18 ms'),
    frames('hovering', drawn.hover, 'p95 ≤ 18 ms'),
    frames('dragging a range', drawn.brush, 'p95 ≤ 18 ms'),
    tries('summary clicked to its detail', drawn.summaryToDetail, 'p95 ≤ 50 ms'),
    tries('message clicked to its detail', drawn.messageToDetail, 'p95 ≤ 50 ms'),
    tries('range marked to its figures', drawn.brushToFigures, 'p95 < 100 ms'),
    tries('word to the first hit', drawn.wordToHit, 'p95 ≤ 100 ms'),
    tries('tab clicked to its place', drawn.tabToPlace, 'p95 ≤ 100 ms'),
    ...Object.entries(costs).map(
      ([part, { longTasks, longestTaskMs, longTasksOfCpu, longestTaskCpuMs, cpuMs }]): Row => [
        `window${of}: tasks over 50 ms, ${part}`,
        `${longTasks}, longest ${longestTaskMs} ms`,
        `${longTasksOfCpu}, longest ${longestTaskCpuMs} ms; all of them ${cpuMs} ms`,
        'none',
      ],
    ),
    figure(
      `window${of}: memory of the renderer`,
      `${ownMegabytes} MB, heap ${heapMegabytes} MB; ${residentMegabytes} MB with the code of the browser`,
      '< 300 MB',
    ),
  ]
}

if (import.meta.main) {
  const { values } = parseArgs({ options: benchOptions, allowPositionals: true })
  const messages = Number(values.messages)
  await installBuild()
  const measures = await measureWindows(messages, (line) => process.stderr.write(`${line}\n`))
  if (values.json) console.log(JSON.stringify(measures, null, 2))
  else printTable(`${messages.toLocaleString('en')} messages`, windowRows(measures))
}
