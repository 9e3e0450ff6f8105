import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { sha256 } from '#core/hashing.ts'
import { LINK_SCHEME } from '#electron/main/deep-link.ts'
import { inProject } from '#scripts/project.mjs'

const configuration = parse(readFileSync(inProject('electron-builder.yml'), 'utf8')) as {
  readonly electronFuses: unknown
  readonly protocols: unknown
  readonly fileAssociations: unknown
  readonly icon: string
  readonly linux: { readonly icon: string }
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

  it('has icons that are as large as their names say, drawn from the icon of the window as it is now', () => {
    const folder = configuration.linux.icon
    const source = sha256(readFileSync(inProject('renderer/icon.svg')))
    expect(readFileSync(inProject(folder, 'source.sha256'), 'utf8').trim(), 'run npm run icons').toBe(source)
    const names = readdirSync(inProject(folder)).filter((name) => name.endsWith('.png'))
    expect(names.map((name) => `${folder}/${name}`)).toContain(configuration.icon)
    for (const name of names) {
      // The header of a PNG: https://www.w3.org/TR/png-3/#11IHDR
      const bytes = readFileSync(inProject(folder, name))
      expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}.png`).toBe(name)
    }
    expect(names.length).toBe(8)
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
