import type { Strata, StrataMessages } from '#core/contract/strata.ts'
import type { Timeline } from '#core/contract/time-travel.ts'
import { depthFill, type Palette, roleFill } from './palette.ts'
import type { Appearances } from './replay.ts'
import { type PlayerData, playReplay } from './replay-player.ts'

type Input = {
  readonly title: string
  readonly strata: Strata
  readonly columns: StrataMessages
  readonly after: Appearances
  readonly events: Timeline['events']
  readonly names: ReadonlyMap<string, string>
  readonly palette: Palette
}

/**
 * Writes a replay as one page that works from disk. Its policy lets nothing run but its own script, and nothing be
 * fetched; texts of the memory stand in it as data, never as markup.
 */
export async function replayPage(input: Input): Promise<string> {
  const script = `(${playReplay.toString()})(JSON.parse(document.getElementById('data').textContent))`
  const style = styleOf(input.palette)
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${await sha256(script)}'`,
    `style-src 'sha256-${await sha256(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const title = markupOf(input.title)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
<p>How the memory of this conversation was compacted: messages arrive below, summaries form above them, and the bright edge on top is what the model saw.</p>
<canvas id="stage" role="img" aria-label="The layers of the conversation at the chosen moment"></canvas>
<div id="bar">
<button id="play" type="button">Play</button>
<input id="moment" type="range" min="0" aria-label="Moment">
<span id="readout" role="status"></span>
<select id="speed" aria-label="Speed">${SPEEDS}</select>
</div>
<p class="keys">Space plays and pauses, ← and → go back and forth, &lt; and &gt; change the speed.</p>
<noscript>This page needs its script to draw the replay.</noscript>
<script type="application/json" id="data">${jsonOf(dataOf(input))}</script>
<script>${script}</script>
</body>
</html>
`
}

function dataOf({ strata, columns, after, events, names, palette }: Input): PlayerData {
  const { summaries } = strata
  return {
    total: strata.totalMessages,
    depths: [...new Set(summaries.depth)].sort((a, b) => b - a),
    summaries: summaries.id.map((id, entry) => ({
      depth: summaries.depth[entry] ?? 0,
      x0: summaries.x0[entry] ?? 0,
      x1: summaries.x1[entry] ?? 0,
      after: after[entry] ?? 0,
      fill: depthFill(palette, summaries.depth[entry] ?? 0),
      name: names.get(id) ?? '',
    })),
    columns: columns.x0.map((x0, entry) => ({
      x0,
      x1: columns.x1[entry] ?? x0,
      tokens: columns.tokens[entry] ?? 0,
      most: columns.maxTokens[entry] ?? 0,
      fill: roleFill(palette, columns.role[entry] ?? 0),
    })),
    events: events.map(({ messages, activeTokens }) => ({ after: messages, tokens: activeTokens })),
    colors: {
      ground: palette.ground,
      line: palette['line-strong'],
      dim: palette.dim,
      lit: palette.lit,
      text: palette.text,
    },
  }
}

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8]
  .map((speed) => `<option value="${speed}"${speed === 1 ? ' selected' : ''}>${speed}×</option>`)
  .join('')

const styleOf = ({ ground, panel, text, dim, line, lit }: Palette): string =>
  `body{margin:24px auto;max-width:1200px;padding:0 24px;background:${ground};color:${text};font:13px/1.5 system-ui,sans-serif}` +
  `h1{font-size:18px}p{color:${dim}}canvas{display:block;width:100%;height:420px;border:1px solid ${line};border-radius:6px}` +
  `#bar{display:flex;gap:12px;align-items:center;margin-top:12px;padding:8px;border-radius:6px;background:${panel}}` +
  `button,select{height:26px;padding:0 10px;border:1px solid ${line};border-radius:5px;background:${ground};color:${text};font:inherit}` +
  `button{min-width:64px;border-color:${dim}}` +
  `#moment{flex:1;accent-color:${lit}}#readout{min-width:26ch;font-variant-numeric:tabular-nums}`

const markupOf = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** JSON in which nothing can end the element that holds it. */
const jsonOf = (data: unknown): string =>
  JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

async function sha256(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return btoa(String.fromCharCode(...hash))
}
