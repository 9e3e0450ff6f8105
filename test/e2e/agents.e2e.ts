import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cliPath } from '../builders/built-program.ts'
import { expect, IN_BROWSER, test } from './app.ts'
import { appEnvironment } from './app-environment.ts'

test(
  'the first page and the settings say which agents keep their sessions here, and give the command that mends it',
  IN_BROWSER,
  async ({ openMemory, home }) => {
    mkdirSync(join(home, '.claude'))
    const page = await openMemory()
    const agents = page.getByRole('region', { name: 'Agents on this computer' })
    await expect(agents).toContainText('Claude Codenot connected')
    await expect(agents).not.toContainText('Codex')
    await agents.getByRole('button', { name: 'Copy “lcm install claude-code --yes”' }).click()
    await expect(agents.getByText('Copied')).toBeVisible()

    const memory = join(home, 'kept.db')
    const env = appEnvironment({ home, env: {} })
    execFileSync(process.execPath, [cliPath, 'install', 'claude-code', '--db', memory, '--yes'], {
      env,
      stdio: 'ignore',
    })
    await page.getByRole('button', { name: 'Settings' }).click()
    await expect(agents).toContainText('connected')
    await expect(agents).toContainText('kept.db')
    await expect(agents).toContainText('Claude Code has not been heard of since.')
    await expect(agents.getByRole('button')).toHaveCount(0)
    rmSync(join(home, '.claude', 'settings.json'))
    await expect(agents).toContainText('not connected as it should be', { timeout: 60_000 })
    await expect(
      agents.getByRole('button', { name: /^Copy “lcm install claude-code --db .*kept\.db --yes”$/ }),
    ).toBeVisible()
  },
)
