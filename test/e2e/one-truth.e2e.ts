import type { Page } from '@playwright/test'
import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { sampleCopy, systemFile } from './memories.ts'

test.use(SHARED_HOST)

/** Where each figure is read, by the view; `frame` is what stands around every view. */
const FIGURES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  messages: {
    frame: /LCM: ([\d,]+) msgs?\b/,
    Start: /of ([\d,]+) messages/,
    Messages: /of ([\d,]+) messages/,
    Layers: /([\d,]+) messages ·/,
  },
  'tokens of the window': {
    Start: /([\d,]+) tokens · /,
    Window: /([\d,]+) tokens of [\d,]+/,
    Compact: /([\d,]+) of [\d,]+ tokens \(/,
  },
  'size of the window': {
    Start: /of a window of ([\d,]+) tokens/,
    Window: /[\d,]+ tokens of ([\d,]+)/,
    Compact: /[\d,]+ of ([\d,]+) tokens \(/,
  },
  'share of the window': {
    frame: /([<\d. ]+%) of window/,
    tab: /Window\s+([<\d. ]+%)/,
    Start: /tokens · ([<\d. ]+%)/,
    Compact: /tokens \(([<\d. ]+%)\)/,
  },
  'tokens that are left out': {
    frame: /([\d,.]+ ?k?) tokens left out|(?<none>of window\s)/,
    Layers: /([\d,.]+ ?k?) left out|(?<none>in the window)/,
  },
  findings: {
    frame: /([\d,]+) findings?\b|(?<none>nothing wrong)/,
    tab: /Health\s+([\d,]+)|(?<none>Health\s)/,
    Start: /([\d,]+) errors?(?:, ([\d,]+) warnings?)?|([\d,]+) warnings?|(?<none>Nothing is wrong)/,
  },
}

const VIEWS = ['Start', 'Messages', 'Window', 'Layers', 'Compact', 'Health'] as const

/** The figure as a view says it; `none` where it says that there are none, and null where it says nothing yet. */
function figureIn(text: string, pattern: RegExp): string | null {
  const found = pattern.exec(text)
  if (found === null) return null
  if (found.groups?.none !== undefined) return 'none'
  const [first, ...others] = found.slice(1).flatMap((part) => (part ? [part.trim()] : []))
  // Errors and warnings stand apart in some places.
  return others.reduce((sum, other) => String(Number(sum) + Number(other)), first ?? '')
}

async function textsOf(page: Page, view: string): Promise<Readonly<Record<string, string>>> {
  const parts = { [view]: page.getByRole('main'), tab: page.getByRole('navigation', { name: 'Views' }) }
  const texts = { ...parts, frame: page.getByRole('contentinfo') }
  const read = Object.entries(texts).map(async ([place, part]) => [place, plain(await part.innerText())] as const)
  return Object.fromEntries(await Promise.all(read))
}

const plain = (text: string): string => text.replaceAll('\u00a0', ' ')

/** Reads every figure from every view that shows it, when all of them are there. */
async function readFigures(page: Page): Promise<Record<string, Record<string, string | null>>> {
  const figures: Record<string, Record<string, string | null>> = {}
  for (const view of VIEWS) {
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: new RegExp(`^${view}`) })
      .click()
    await expect
      .poll(async () => {
        const texts = await textsOf(page, view)
        return Object.entries(FIGURES).flatMap(([figure, places]) =>
          Object.entries(places).flatMap(([place, pattern]) => {
            const text = texts[place]
            if (text === undefined) return []
            const said = figureIn(text, pattern)
            figures[figure] = { ...figures[figure], [place === view ? place : `${place} beside ${view}`]: said }
            return said === null ? [`${figure} in ${place}`] : []
          }),
        )
      })
      .toEqual([])
  }
  return figures
}

const FILES = [
  'lossless-claw/small.db',
  'lossless-claw/rich.db',
  'lossless-claw/corrupt/context_dangling_summary.db',
  'lossless-claw/corrupt/message_lost_from_context.db',
  'lossless-claude/small.sqlite',
  'hermes-lcm/small.db',
  'hermes-lcm/damaged.db',
  'lcm-x/small.db',
  'argentos/small.db',
  'argentos/gateway.db',
  'pi-lcm/small.db',
  'decapod/small/lcm.db',
]

for (const file of ['the sample', ...FILES])
  test(`every view says the same figures of ${file}`, IN_BROWSER, async ({ openMemory, home }) => {
    const page = await openMemory(file === 'the sample' ? sampleCopy(home) : systemFile(file))
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: /^Health/ })
      .click()
    await page.getByRole('button', { name: 'Check now' }).click()
    await expect(page.getByRole('contentinfo')).toContainText(/finding|nothing wrong/)
    for (const [figure, said] of Object.entries(await readFigures(page)))
      expect(new Set(Object.values(said)).size, `${figure}: ${JSON.stringify(said)}`).toBe(1)
  })
