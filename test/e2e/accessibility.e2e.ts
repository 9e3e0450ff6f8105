import { VIEWS } from '#renderer/views.ts'
import { TestMemory } from '../builders/memory.ts'
import { expect, IN_BROWSER, SHARED_HOST, test } from './app.ts'
import { loaded, OF_COLOUR, violations } from './axe.ts'
import { factsOf, hitsOf, sampleCopy } from './memories.ts'
import { DIALOGS, sceneShower } from './view-scenes.ts'

test.use(SHARED_HOST)

/** Something to find and to repair. @returns a summary of the first conversation */
function damage(path: string): string {
  const memory = new TestMemory(path)
  const of = 'summary_rowid = (SELECT max(summary_rowid) FROM summaries WHERE conversation_id = 1 AND depth = 1)'
  const id = memory.db.value<string>(`SELECT summary_id FROM summaries WHERE ${of}`) ?? ''
  memory.damage(`UPDATE summaries SET depth = 7 WHERE ${of}`)
  memory.db.close()
  return id
}

const DARK = { name: 'dark', colorScheme: 'dark', contrast: null, forcedColors: null } as const
const LIGHT = { name: 'light', colorScheme: 'light', contrast: null, forcedColors: null } as const
const MORE = [
  { ...DARK, name: 'high contrast', contrast: 'more' },
  { ...LIGHT, name: 'light, more contrast', contrast: 'more' },
] as const
/** Views share their parts, and forced colours come from the system: each view is looked at in one of the two. */
const FORCED = [
  { ...DARK, name: 'forced dark colours', forcedColors: 'active' },
  { ...LIGHT, name: 'forced light colours', forcedColors: 'active' },
] as const

type Colours = typeof DARK | typeof LIGHT | (typeof MORE)[number] | (typeof FORCED)[number]

test(
  'every view can be read and operated by everybody, dark and light, with more contrast and in forced colours',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    // Axe looks at every element of every view five times.
    test.setTimeout(600_000)
    const path = sampleCopy(home)
    const { conversationId } = await factsOf(path)
    const summaryId = damage(path)
    const page = await openMemory(path)
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    const go = async (place: string) => {
      await page.evaluate(
        ([id, to]) => {
          location.hash = `#/conversation/${id}/${to}`
        },
        [conversationId, place] as const,
      )
      await expect(page.getByRole('navigation', { name: /^(Views|Program)$/ })).toBeVisible()
      await loaded(page)
    }
    const found: Record<string, string[]> = {}
    const checkIn = async ({ name: colours, ...media }: Colours, name: string, rules?: string[]) => {
      await page.emulateMedia(media)
      const wrong = await violations(page, rules)
      if (wrong.length > 0) found[`${name}, ${colours}`] = wrong
    }
    const check = async (name: string) => {
      await checkIn(DARK, name)
      await checkIn(LIGHT, name, OF_COLOUR)
    }
    for (const [at, view] of VIEWS.entries()) {
      await go(`${view}?select=msg_3`)
      await check(view)
      for (const colours of [...MORE, FORCED[at % 2 === 0 ? 0 : 1]]) await checkIn(colours, view, OF_COLOUR)
    }
    await go('compare?a=last')
    await expect(page.getByRole('grid', { name: 'Differences' })).toBeVisible()
    await check('differences')
    await go('storage')
    await expect(page.getByRole('button', { name: 'Measure again' })).toBeVisible()
    await check('storage measured')
    await go('integrity')
    await page.getByRole('button', { name: 'Check now' }).click()
    const applySteps = page.getByRole('button', { name: /^Apply .*…/ })
    await expect(applySteps).toBeVisible()
    await page.getByRole('article').first().getByRole('button').first().click()
    const plan = page.getByRole('region', { name: 'Repair plan' })
    await plan.getByRole('button', { name: /row/ }).first().click()
    await check('findings and plan')
    await applySteps.click()
    await check('the question before a repair')
    await page.keyboard.press('Escape')
    await page.getByRole('main').getByRole('button', { name: 'Backups…' }).click()
    await expect(page.getByRole('dialog', { name: 'Backups' })).toBeVisible()
    await check('backups')
    await page.keyboard.press('Escape')
    await go(`strata?select=${summaryId}`)
    await page.getByRole('button', { name: `Operate on ${summaryId}` }).click()
    await page.getByRole('menuitem', { name: /^Rewrite…/ }).click()
    await check('rewrite')
    await page.getByLabel('Tokens to aim at').fill('100')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await expect(page.getByText(/before · /)).toBeVisible()
    await check('rewrite, previewed')
    await page.keyboard.press('Escape')
    await go('lineage')
    await expect(page.getByRole('button', { name: /^(weakly )?supported/ }).first()).toBeVisible()
    await page.keyboard.press('n')
    await check('lineage of a summary')
    await go('lineage?select=msg_21')
    await check('lineage of a message')
    await go('search?ask=1')
    await page.getByRole('textbox', { name: 'Question to the memory' }).fill('why were customers charged twice')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('article', { name: 'Answer' })).toBeVisible()
    await check('ask')
    await go('search?trace=msg_52&query=PAY-1187')
    await expect(page.getByRole('heading', { name: /^Lost at/ })).toBeVisible()
    await expect(page.getByText('Lost with it')).toBeVisible()
    await check('trace')
    await go('search?probe=1&limit=9')
    await expect(page.getByRole('list', { name: 'From the window down to the message' })).toBeVisible()
    await expect(page.getByText('Lost with it').or(page.getByText('By search')).first()).toBeVisible()
    await check('probe')
    await go('search?query=gateway')
    await expect(hitsOf(page).first()).toBeVisible()
    await check('search')
    await go('layers?layers.form=graph')
    await expect(
      page
        .getByRole('region', { name: 'Graph' })
        .getByText(/in the window|messages/)
        .first(),
    ).toBeVisible()
    await check('graph')
    await go('layers?layers.form=tree')
    await expect(page.getByRole('treeitem').first()).toBeVisible()
    await check('tree')
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible()
    await check('palette')
    await page.keyboard.press('Escape')
    await page.getByRole('banner').getByRole('button', { name: 'LCM Inspector' }).click()
    await expect(page.getByRole('heading', { name: 'LCM Inspector', level: 1 })).toBeVisible()
    await check('welcome')
    expect(found).toEqual({})
  },
)

// The folders of the machine are those of this test.
test.describe(() => {
  test.use({ sharesHost: false })

  test(
    'every dialog and empty state can be read and operated by everybody, dark and light',
    IN_BROWSER,
    async ({ openMemory, home }) => {
      // Some forty scenes, each looked at twice.
      test.setTimeout(600_000)
      const path = sampleCopy(home)
      const page = await openMemory(path)
      await expect(page.getByRole('contentinfo')).toContainText('LCM:')
      const show = sceneShower(page, { home, path })
      const found: Record<string, string[]> = {}
      for (const scene of DIALOGS) {
        await page.emulateMedia({ colorScheme: 'dark' })
        await show(scene)
        const dark = await violations(page)
        await page.emulateMedia({ colorScheme: 'light' })
        const light = await violations(page, OF_COLOUR)
        if (dark.length + light.length > 0) found[scene.name] = [...dark, ...light]
        if (scene.show) await page.keyboard.press('Escape')
      }
      expect(found).toEqual({})
    },
  )
})
