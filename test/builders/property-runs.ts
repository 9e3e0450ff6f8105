import fc from 'fast-check'

/** The examples are the same every time, so that a failing test is caused by the change. */
const USUAL_SEED = 20_260_214

/**
 * The share of the examples that is tried in every run. They are always the same, so more of them would hardly tell
 * more about a change.
 */
const EVERY_DAY = 0.35

/**
 * How properties are run. Usually always with the same examples. `LCM_TEST_SEED=<number>` takes others,
 * `LCM_TEST_SEED=random` new ones each time, `LCM_TEST_RUNS=10` some thirty times as many: a hunt, say, is
 * `LCM_TEST_SEED=random LCM_TEST_RUNS=10 npm run test:core -- test/compare/coverage`. What fails tells its seed and path.
 */
function seedOf(said: string | undefined): number | undefined {
  if (said === undefined || said === '') return USUAL_SEED
  if (said === 'random') return undefined
  const seed = Number(said)
  if (!Number.isSafeInteger(seed)) throw new Error(`LCM_TEST_SEED is neither a whole number nor "random": ${said}`)
  return seed
}

const times = Number(process.env.LCM_TEST_RUNS ?? EVERY_DAY)
if (!(times > 0)) throw new Error(`LCM_TEST_RUNS is no factor: ${process.env.LCM_TEST_RUNS}`)

/** True when many new examples are tried. */
export const isHunt = times > 1

/** The number of examples of a property. `usual` are enough to trust a change of what it tests. */
export const runs = (usual: number): number => Math.max(1, Math.round(usual * times))

const seed = seedOf(process.env.LCM_TEST_SEED)
fc.configureGlobal({ numRuns: runs(100), ...(seed !== undefined && { seed }) })
