import { type DisplayList, FONT_FAMILY, FONT_SIZE, fitText, type Shape } from './shapes.ts'

/** Writes the drawing as a self-contained file: without scripts, style sheets and external resources. */
export function toSvg(list: DisplayList, title: string): string {
  const { width, height, plot } = list
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONT_FAMILY}" font-size="${FONT_SIZE}">`,
    `<title>${escaped(title)}</title>`,
    `<clipPath id="plot"><rect x="${plot.left - 2}" y="0" width="${plot.width + 4}" height="${height}"/></clipPath>`,
    `<rect width="${width}" height="${height}" fill="${list.ground}"/>`,
    `<g clip-path="url(#plot)">`,
    ...plot.shapes.map(toElement),
    '</g>',
    '<g>',
    ...list.frame.map(toElement),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

function toElement(shape: Shape): string {
  switch (shape.kind) {
    case 'rect':
      return element('rect', {
        x: shape.x,
        y: shape.y,
        width: shape.w,
        height: shape.h,
        rx: shape.radius,
        fill: shape.fill ?? 'none',
        stroke: shape.stroke,
        'stroke-width': shape.stroke && shape.strokeWidth,
        opacity: shape.opacity,
      })
    case 'line':
      return element('line', {
        x1: shape.x0,
        y1: shape.y0,
        x2: shape.x1,
        y2: shape.y1,
        stroke: shape.stroke,
        'stroke-width': shape.strokeWidth,
        'stroke-dasharray': shape.dash?.join(' '),
        opacity: shape.opacity,
      })
    case 'text':
      return element(
        'text',
        {
          x: shape.x,
          y: shape.y,
          fill: shape.fill,
          'text-anchor': { left: 'start', center: 'middle', right: 'end' }[shape.align],
          'dominant-baseline': 'central',
        },
        shape.maxWidth === undefined ? shape.text : fitText(shape.text, shape.maxWidth, estimatedWidth),
      )
    case 'dot': {
      const { x, y, radius, fill } = shape
      if (shape.form === 'circle') return element('circle', { cx: x, cy: y, r: radius, fill })
      const corners: readonly (readonly [number, number])[] = [
        [x, y - radius],
        [x + radius, y],
        [x, y + radius],
        [x - radius, y],
      ]
      return element('polygon', { points: corners.map((corner) => corner.map(short).join(',')).join(' '), fill })
    }
  }
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  text?: string,
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? short(value) : escaped(value ?? '')}"`)
    .join('')
  return text === undefined ? `<${name}${written}/>` : `<${name}${written}>${escaped(text)}</${name}>`
}

const short = (value: number): string => String(Math.round(value * 100) / 100)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Control characters are not allowed in XML at all, not even escaped. */
const escaped = (text: string): string =>
  [...text]
    .filter((char) => char >= ' ' || char === '\t' || char === '\n')
    .map((char) => ENTITIES[char] ?? char)
    .join('')

/** A file is written without measuring: characters of wide scripts take a whole em, others about six tenths. */
const estimatedWidth = (text: string): number =>
  [...text].reduce((width, char) => width + (char > '\u2e7f' ? 1 : 0.58) * FONT_SIZE, 0)
