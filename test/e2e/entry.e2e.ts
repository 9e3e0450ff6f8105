import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, IN_BROWSER, test } from './app.ts'
import { sampleCopy } from './memories.ts'

test(
  'an address admits its page, also after a reload and in a second tab',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const path = sampleCopy(home)
    const page = await openMemory(path)
    const strata = page.getByRole('link', { name: 'Layers' })
    await expect(strata).toBeVisible()
    expect(page.url()).not.toContain('token')
    expect(new URL(page.url()).searchParams.get('file')).toBe(path)
    await page.reload()
    await expect(strata).toBeVisible()

    const tab = await page.context().newPage()
    await tab.goto(new URL('/', page.url()).href)
    await expect(tab.getByRole('link', { name: 'Layers' })).toBeVisible()
    expect(await page.context().cookies()).toEqual([])
  },
)

test(
  'what draws the page is fetched beside its entry, and a reload fetches no file again that a browser may keep',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const page = await openMemory(sampleCopy(home))
    const files = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter((entry) => entry instanceof PerformanceResourceTiming)
          .map(({ name, startTime, responseEnd, transferSize }) => ({ name, startTime, responseEnd, transferSize })),
      )
    const strata = page.getByRole('link', { name: 'Layers' })
    await expect(strata).toBeVisible()
    const first = await files()
    const entry = first.find(({ name }) => /\/assets\/main-[\w-]+\.js$/.test(name))
    const code = first.filter(({ name }) => /\/assets\/page-[\w-]+\.js$/.test(name))
    expect(code.length).toBeGreaterThan(0)
    for (const { startTime } of code) expect(startTime).toBeLessThan(entry?.responseEnd ?? 0)
    await page.reload()
    await expect(strata).toBeVisible()
    const kept = (await files()).filter(({ name }) => name.includes('/assets/'))
    expect(kept.length).toBeGreaterThan(10)
    expect(kept.filter(({ transferSize }) => transferSize > 0)).toEqual([])
  },
)

test(
  'a page without the address shows nothing of the user and says what to do',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const page = await openMemory(sampleCopy(home))
    const browser = page.context().browser()
    if (!browser) throw new Error('there is no browser')
    const stranger = await (await browser.newContext()).newPage()
    for (const search of ['/', new URL(page.url()).search, `/#token=${'x'.repeat(43)}`]) {
      await stranger.goto(new URL(search, page.url()).href)
      await stranger.reload()
      await expect(stranger.getByRole('heading', { name: 'This page needs its address' })).toBeVisible()
      await expect(stranger.getByRole('link', { name: 'Layers' })).toHaveCount(0)
    }
    await stranger.context().close()
  },
)

test(
  'another server on this machine is sent nothing that would let it in',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    const seen: string[] = []
    const other = createServer((request, response) => {
      seen.push(JSON.stringify(request.headers))
      response.setHeader('content-type', 'text/html').end('<title>Other</title>')
    }).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const page = await openMemory(sampleCopy(home))
    const stored = () => page.evaluate(() => localStorage.getItem('lcm:session') ?? '')
    await expect.poll(async () => (await stored()).length).toBeGreaterThan(30)
    const secret = await stored()
    await page.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`)
    await expect(page).toHaveTitle('Other')
    expect(await page.evaluate(() => localStorage.length)).toBe(0)
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join()).not.toContain(secret)
    expect(seen.join()).not.toContain('cookie')
    other.close()
  },
)
