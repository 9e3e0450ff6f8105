import { expect, IN_BROWSER, SHARED_HOST, THROUGH_SHELL, test, toStrata } from './app.ts'
import { factsOf, hitsOf, sampleCopy, turnTo } from './memories.ts'

test.use(SHARED_HOST)

test(
  'back and forward work, and a copied address opens the same place',
  THROUGH_SHELL,
  async ({ openMemory, home, hostKind }) => {
    const path = sampleCopy(home)
    const page = await openMemory(path)
    const views = page.getByRole('navigation', { name: 'Views' })
    await views.getByRole('link', { name: 'Messages' }).click()
    await page
      .getByRole('feed', { name: 'Messages' })
      .getByRole('article', { name: /msg_2$/ })
      .click()
    await expect.poll(() => page.url()).toContain('select=msg_2')
    await views.getByRole('link', { name: 'Health' }).click()
    await page.goBack()
    await expect(page).toHaveURL(/messages\?select=msg_2/)
    await expect(page.getByRole('feed', { name: 'Messages' })).toBeVisible()
    await page.goForward()
    await expect(page).toHaveURL(/health/)
    await page.goBack()

    const address = page.url()
    await turnTo(page, path, hostKind)
    await expect(page.getByRole('contentinfo')).toContainText('LCM:')
    await page.goto(address)
    await expect(page.getByRole('feed', { name: 'Messages' }).getByRole('article', { name: /msg_2$/ })).toBeInViewport()
    await expect(
      page.getByRole('complementary', { name: 'Detail' }).getByRole('button', { name: 'Copy msg_2' }),
    ).toBeVisible()
  },
)

test(
  'the address holds what every view shows, back and forward bring it again, and what it cannot show is reported',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    const { conversationId } = await factsOf(path)
    const page = await openMemory(path)
    const go = (hash: string) => page.evaluate((to) => location.assign(to), hash)
    const views = page.getByRole('navigation', { name: 'Views' })

    // The strata: axis, colour and zoom.
    await toStrata(page)
    await page.getByRole('radiogroup', { name: 'What width means' }).getByText('tokens').click()
    await page.getByRole('radiogroup', { name: 'What colour means' }).getByText('level').click()
    await page.getByRole('button', { name: 'Zoom in (+)' }).click()
    await expect(page).toHaveURL(/layers\.axis=tokens.*layers\.color=level.*layers\.zoom=[\d.]+/)
    const zoomed = new URL(page.url()).hash

    // The context window: moment, what if, form and the two moments of a difference.
    await views.getByRole('link', { name: /^Window/ }).click()
    const view = page.getByRole('region', { name: 'Window of the conversation' })
    await expect(view).toContainText('as of now')
    // The window is shown before its moments are read.
    await expect(view.getByRole('slider', { name: 'Moment' })).toBeVisible()
    await page.keyboard.press('ArrowLeft')
    await expect(view).not.toContainText('as of now')
    await view.getByRole('radiogroup', { name: 'Shown as' }).getByText('what if').click()
    const budget = page.getByRole('slider', { name: 'Budget, slider' })
    await budget.focus()
    await budget.press('ArrowLeft')
    await expect(page).toHaveURL(/window\.at=event-\d+.*window\.budget=\d+/)
    const tried = async () => Number(new URL(page.url()).hash.match(/window\.budget=(\d+)/)?.[1])
    const once = await tried()
    await budget.press('ArrowLeft')
    await expect.poll(tried).toBeLessThan(once)
    await view.getByRole('radiogroup', { name: 'Shown as' }).getByText('payload').click()
    await expect(page).toHaveURL(/window\.form=payload/)
    const context = new URL(page.url()).hash

    await page.goBack()
    await expect.poll(() => new URL(page.url()).hash).toBe(zoomed)
    await expect(page.getByRole('radio', { name: 'level' })).toBeChecked()
    await page.goForward()
    await expect(view).toContainText('"role": "user"')
    await expect.poll(() => new URL(page.url()).hash).toBe(context)

    // A copied link gives the same window elsewhere, where nothing is stored.
    await page.evaluate(() => sessionStorage.clear())
    await go('#/start')
    await page.reload()
    await go(context)
    await expect(view.getByRole('radio', { name: 'payload' })).toBeChecked()
    await view.getByRole('radiogroup', { name: 'Shown as' }).getByText('list', { exact: true }).click()
    await expect(view).not.toContainText('as of now')

    // The search: its filters, and the question that was asked.
    await go(`#/conversation/${conversationId}/find?query=PAY-%5Cd%2B&find.mode=regex&find.scope=summaries`)
    await expect(page.getByRole('radiogroup', { name: 'Mode' }).getByRole('radio', { name: 'regex' })).toBeChecked()
    await expect(hitsOf(page).first()).toContainText(/first summary|depth \d/)
    await go(`#/conversation/${conversationId}/find?ask=1&query=why+were+customers+charged+twice`)
    const question = page.getByRole('textbox', { name: 'Question to the memory' })
    await expect(question).toHaveValue('why were customers charged twice')
    await expect(page.getByRole('article', { name: 'Answer' })).toBeVisible()
    await question.fill('what is PAY-1187')
    await question.press('Enter')
    await expect(page).toHaveURL(/query=what\+is\+PAY-1187/)
    await page.goBack()
    await expect(question).toHaveValue('why were customers charged twice')

    // An unknown conversation is reported, and an open dialog closes when the address changes.
    await go(`#/conversation/${conversationId}/layers`)
    await expect(page.getByRole('application', { name: /^Layers/ })).toBeVisible()
    await page.keyboard.press('?')
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
    await go('#/conversation/999/layers')
    await expect(page.getByRole('dialog')).toBeHidden()
    await expect(page.getByRole('heading', { name: 'This memory has no conversation 999' })).toBeVisible()
    await expect(page).toHaveURL(/conversation\/999/)
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Open / })
      .click()
    await expect(page.getByRole('application', { name: /^Layers/ })).toBeVisible()
  },
)
