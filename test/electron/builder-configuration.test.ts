import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { LINK_SCHEME } from '#electron/main/deep-link.ts'
import { inProject } from '#scripts/project.mjs'

const configuration = parse(readFileSync(inProject('electron-builder.yml'), 'utf8')) as {
  readonly electronFuses: unknown
  readonly protocols: unknown
  readonly fileAssociations: unknown
  readonly mac: Readonly<Record<string, unknown>>
}

describe('the configuration of the packages', () => {
  it('leaves the packed program no way to run other code', () => {
    expect(configuration.electronFuses).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      grantFileProtocolExtraPrivileges: false,
    })
  })

  it('asks Apple for a hardened program that may do nothing but compile while it runs', () => {
    const { hardenedRuntime, notarize, entitlements, entitlementsInherit } = configuration.mac
    expect([hardenedRuntime, notarize]).toEqual([true, true])
    expect(entitlementsInherit).toBe(entitlements)
    const text = readFileSync(inProject(String(entitlements)), 'utf8')
    expect([...text.matchAll(/<key>(.*?)<\/key>\s*<(\w+)\/>/g)].map(([, name, value]) => [name, value])).toEqual([
      ['com.apple.security.cs.allow-jit', 'true'],
    ])
  })

  it('registers the links that the app reads, and its files', () => {
    expect(configuration.protocols).toEqual([{ name: 'LCM Inspector', schemes: [LINK_SCHEME] }])
    expect(configuration.fileAssociations).toEqual([expect.objectContaining({ ext: 'lcm' })])
  })

  it('names no address of releases, which only the release workflow gives', () => {
    expect(configuration).not.toHaveProperty('publish')
    const workflow = readFileSync(inProject('.github/workflows/release.yml'), 'utf8')
    expect(workflow).toContain('-c.publish.provider=github')
    expect(workflow).toMatch(/APPLE_TEAM_ID[\s\S]*CSC_LINK|CSC_LINK[\s\S]*APPLE_TEAM_ID/)
  })

  it('updates the packed app without a package that the npm package would install', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'))
    expect(dependencies).not.toHaveProperty('electron-updater')
    expect(devDependencies['electron-updater']).toMatch(/^\d+\.\d+\.\d+$/)
  })
})
