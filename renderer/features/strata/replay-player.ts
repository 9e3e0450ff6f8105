/** What an exported replay holds. x counts messages. */
export type PlayerData = {
  readonly total: number
  /** Deepest first. */
  readonly depths: readonly number[]
  readonly summaries: readonly {
    readonly depth: number
    readonly x0: number
    readonly x1: number
    /** The number of messages after which it was there. */
    readonly after: number
    readonly fill: string
    readonly name: string
  }[]
  readonly columns: readonly {
    readonly x0: number
    readonly x1: number
    readonly tokens: number
    readonly most: number
    readonly fill: string
  }[]
  readonly events: readonly { readonly after: number; readonly tokens: number }[]
  readonly colors: Readonly<Record<'ground' | 'line' | 'dim' | 'lit' | 'text', string>>
}

/**
 * Draws and plays a replay in a page of its own. Its source is written into the page, so that it may use nothing but
 * what stands in it.
 */
export function playReplay({ total, depths, summaries, columns, events, colors }: PlayerData): void {
  const canvas = document.getElementById('stage') as HTMLCanvasElement
  const slider = document.getElementById('moment') as HTMLInputElement
  const button = document.getElementById('play') as HTMLButtonElement
  const speed = document.getElementById('speed') as HTMLSelectElement
  const readout = document.getElementById('readout') as HTMLElement
  const height = 420
  const left = 60
  const most = Math.max(400, ...columns.map((column) => column.most))
  const bottom = height - 24
  const histogram = 110
  const pitch = Math.min(48, (bottom - histogram - 60) / Math.max(1, depths.length))
  const byDepth = Map.groupBy(summaries, (one) => one.depth)
  let at = 0
  let isPlaying = false
  let beforeMs = 0
  slider.max = String(total)

  const draw = (): void => {
    const pen = canvas.getContext('2d')
    if (pen === null) return
    const width = canvas.clientWidth
    canvas.width = width * devicePixelRatio
    canvas.height = height * devicePixelRatio
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0)
    pen.fillStyle = colors.ground
    pen.fillRect(0, 0, width, height)
    pen.font = '11px system-ui, sans-serif'
    pen.textBaseline = 'middle'
    const px = (x: number): number => left + (x / Math.max(1, total)) * (width - left - 16)
    const label = (text: string, y: number): void => {
      pen.fillStyle = colors.dim
      pen.textAlign = 'right'
      pen.fillText(text, left - 10, y)
      pen.textAlign = 'left'
    }
    const now = Math.floor(at)
    const cover: { x0: number; x1: number }[] = []
    label('window', 20)
    depths.forEach((depth, row) => {
      const y = 40 + row * pitch
      label(depth === 0 ? 'first' : `depth ${depth}`, y + pitch / 2 - 3)
      const above = cover.toSorted((a, b) => a.x0 - b.x0)
      let first = 0
      // The summaries of a depth come in the order of the history.
      for (const one of byDepth.get(depth) ?? []) {
        if (one.after > now) continue
        while (first < above.length && (above[first]?.x1 ?? 0) <= one.x0) first += 1
        const part = above[first]
        const isCovered = part !== undefined && part.x0 <= one.x0 && part.x1 >= one.x1
        if (!isCovered) cover.push({ x0: one.x0, x1: one.x1 })
        const [x, w] = [px(one.x0), Math.max(1, px(one.x1) - px(one.x0) - 1)]
        pen.globalAlpha = isCovered ? 0.4 : 1
        pen.fillStyle = one.fill
        pen.fillRect(x, y, w, pitch * 0.64)
        pen.globalAlpha = 1
        if (one.name === '' || w < 56) continue
        pen.save()
        pen.beginPath()
        pen.rect(x + 6, y, w - 12, pitch)
        pen.clip()
        pen.fillStyle = isCovered ? colors.text : colors.ground
        pen.fillText(one.name, x + 6, y + pitch * 0.32)
        pen.restore()
      }
    })
    label('msgs', bottom - histogram / 2)
    const parts = cover.toSorted((a, b) => a.x0 - b.x0)
    let next = 0
    for (const column of columns) {
      if (column.x0 >= now) break
      while (next < parts.length && (parts[next]?.x1 ?? 0) <= column.x0) next += 1
      const part = parts[next]
      const x = px(column.x0)
      const h = Math.max(1, (Math.log1p(column.most / 24) / Math.log1p(most / 24)) * histogram)
      pen.globalAlpha = part !== undefined && part.x0 <= column.x0 && part.x1 >= column.x1 ? 0.4 : 1
      pen.fillStyle = column.fill
      pen.fillRect(x, bottom - h, Math.max(1, px(column.x1) - x - 0.5), h)
    }
    pen.globalAlpha = 1
    pen.fillStyle = colors.lit
    let end = 0
    const edge = (from: number, to: number): void => {
      if (to > from) pen.fillRect(px(from), 17, Math.max(1.5, px(to) - px(from) - 1), 6)
    }
    for (const part of parts) {
      edge(end, Math.min(part.x0, now))
      edge(part.x0, part.x1)
      end = Math.max(end, part.x1)
    }
    edge(end, now)
    pen.fillStyle = colors.text
    pen.fillRect(px(now), 10, 1, bottom - 10)
    pen.fillStyle = colors.line
    pen.fillRect(left, bottom, width - left - 16, 1)

    let last = { after: 0, tokens: 0 }
    for (const event of events) if (event.after <= now) last = event
    let tokens = last.tokens
    for (const column of columns) if (column.x0 >= last.after && column.x0 < now) tokens += column.tokens
    const grouped = (count: number): string => count.toLocaleString('en-US')
    readout.textContent = `${grouped(now)} of ${grouped(total)} messages · window ≈ ${grouped(tokens)} tokens`
    slider.value = String(now)
    button.textContent = isPlaying ? 'Pause' : 'Play'
  }
  const step = (nowMs: number): void => {
    if (!isPlaying) return
    at = Math.min(total, at + ((nowMs - beforeMs) / 1000) * Number(speed.value) * (total / 20))
    beforeMs = nowMs
    if (at >= total) isPlaying = false
    draw()
    if (isPlaying) requestAnimationFrame(step)
  }
  const toggle = (): void => {
    isPlaying = !isPlaying
    if (isPlaying && at >= total) at = 0
    beforeMs = performance.now()
    if (isPlaying) requestAnimationFrame(step)
    draw()
  }
  button.addEventListener('click', toggle)
  slider.addEventListener('input', () => {
    at = Number(slider.value)
    draw()
  })
  addEventListener('resize', draw)
  addEventListener('keydown', (event) => {
    const isOnControl = event.target instanceof HTMLElement && event.target !== document.body
    if (event.key === ' ' && event.target !== button) toggle()
    else if (event.key === 'ArrowLeft' && !isOnControl) at = Math.max(0, Math.floor(at) - 1)
    else if (event.key === 'ArrowRight' && !isOnControl) at = Math.min(total, Math.floor(at) + 1)
    else if (event.key === '<') speed.selectedIndex = Math.max(0, speed.selectedIndex - 1)
    else if (event.key === '>') speed.selectedIndex = Math.min(speed.options.length - 1, speed.selectedIndex + 1)
    else return
    event.preventDefault()
    draw()
  })
  draw()
}
