// `npm run icons` draws the icons of the desktop app from renderer/icon.svg, in the sizes that packages ask for.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { sha256 } from '../core/hashing.ts'
import { ensureBrowser } from './ensure-browser.mjs'
import { chromiumFlags } from './find-chromium.mjs'
import { inProject } from './project.mjs'

/** In pixels. Linux takes the one that fits; macOS and Windows are given icons that electron-builder makes of the largest. */
const SIZES = [16, 32, 48, 64, 128, 256, 512, 1024]

const source = readFileSync(inProject('renderer/icon.svg'), 'utf8')
const folder = inProject('resources/icons')
mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: [...chromiumFlags] })
for (const size of SIZES) {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  // The three bars alone would not be seen on a bright desktop.
  await page.setContent(`<style>
    body { margin: 0 }
    main { position: fixed; inset: 0; display: grid; place-items: center; background: #0e1116; border-radius: 22% }
    svg { width: 72vw; height: 72vw }
  </style><main>${source}</main>`)
  await page.screenshot({ path: `${folder}/${size}x${size}.png`, omitBackground: true })
  await page.close()
}
await browser.close()
writeFileSync(`${folder}/source.sha256`, `${sha256(source)}\n`)
