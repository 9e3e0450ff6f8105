const PATHS = {
  search: 'M7 12.25a5.25 5.25 0 1 0 0-10.5 5.25 5.25 0 0 0 0 10.5ZM10.9 10.9l3.35 3.35',
  copy: 'M5.75 5.75v-3.5h8v8h-3.5M2.25 5.75h8v8h-8z',
  check: 'M2.75 8.5l3.5 3.5 7-8',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  chevronDown: 'M3.75 6l4.25 4.25L12.25 6',
  chevronRight: 'M6 3.75L10.25 8 6 12.25',
  arrowUp: 'M8 13.25V2.75M3.75 7L8 2.75 12.25 7',
  arrowDown: 'M8 2.75v10.5M3.75 9L8 13.25 12.25 9',
  arrowLeft: 'M13.25 8H2.75M7 3.75L2.75 8 7 12.25',
  arrowRight: 'M2.75 8h10.5M9 3.75L13.25 8 9 12.25',
  swap: 'M4.5 2.5v11M1.75 10.75l2.75 2.75 2.75-2.75M11.5 13.5v-11M8.75 5.25l2.75-2.75 2.75 2.75',
  link: 'M6.75 9.25l2.5-2.5M7.5 4.5l1.25-1.25a2.83 2.83 0 0 1 4 4L11.5 8.5M8.5 11.5l-1.25 1.25a2.83 2.83 0 0 1-4-4L4.5 7.5',
  more: 'M3.25 8h.01M8 8h.01M12.75 8h.01',
  pause: 'M5.25 3v10M10.75 3v10',
  play: 'M4.5 2.75v10.5L13 8z',
  folder: 'M1.75 12.75V3.25h4.5l1.5 2h6.5v7.5z',
  file: 'M3.75 1.75h5.5l3 3v9.5h-8.5zM9.25 1.75v3h3',
  database:
    'M13 3.75c0 1.1-2.24 2-5 2s-5-.9-5-2 2.24-2 5-2 5 .9 5 2ZM3 3.75v8.5c0 1.1 2.24 2 5 2s5-.9 5-2v-8.5M3 8c0 1.1 2.24 2 5 2s5-.9 5-2',
  import: 'M8 2v8M4.75 6.75L8 10l3.25-3.25M2.25 13.5h11.5',
  download: 'M8 2v8M4.75 6.75L8 10l3.25-3.25M2.25 13.5h11.5',
  share: 'M8 9.75v-8M4.75 5L8 1.75 11.25 5M3.25 8v6.25h9.5V8',
  sun: 'M8 10.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3.05 3.05l1.06 1.06M11.89 11.89l1.06 1.06M3.05 12.95l1.06-1.06M11.89 4.11l1.06-1.06',
  moon: 'M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1Z',
  contrast: 'M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5ZM8 1.75v12.5M8 5.5h5.7M8 8h6.25M8 10.5h5.7',
  display: 'M1.75 2.75h12.5v8.5H1.75zM5.5 14h5M8 11.25V14',
  keyboard: 'M1.25 4.25h13.5v7.5H1.25zM4 6.75h.01M6.5 6.75h.01M9 6.75h.01M11.75 6.75h.01M4.5 9.25h7',
  warning: 'M8 2L14.75 13.5H1.25zM8 6.25v3.5M8 11.6h.01',
  info: 'M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5ZM8 7.25v4M8 4.9h.01',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.6-3.9L13.5 5.7M13.5 2.25V5.7h-3.45',
  sidebar: 'M1.75 2.75h12.5v10.5H1.75zM10 2.75v10.5',
  plus: 'M8 3.25v9.5M3.25 8h9.5',
  minus: 'M3.25 8h9.5',
  fit: 'M5 4L1.75 8 5 12M11 4l3.25 4L11 12M1.75 8h12.5',
  target: 'M8 12.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2',
  tree: 'M2.75 2.5v9.25h4M2.75 5.5h4M9.25 5.5h4M9.25 11.75h4',
  gear: 'M6.55 3.32L6.77 1.62L9.23 1.62L9.45 3.32L10.29 3.67L11.65 2.62L13.38 4.35L12.33 5.71L12.68 6.55L14.38 6.77L14.38 9.23L12.68 9.45L12.33 10.29L13.38 11.65L11.65 13.38L10.29 12.33L9.45 12.68L9.23 14.38L6.77 14.38L6.55 12.68L5.71 12.33L4.35 13.38L2.62 11.65L3.67 10.29L3.32 9.45L1.62 9.23L1.62 6.77L3.32 6.55L3.67 5.71L2.62 4.35L4.35 2.62L5.71 3.67ZM8 10.1a2.1 2.1 0 1 0 0-4.2 2.1 2.1 0 0 0 0 4.2Z',
  sparkle: 'M8 1.75l1.6 4.65L14.25 8 9.6 9.6 8 14.25 6.4 9.6 1.75 8 6.4 6.4z',
} as const

export type IconName = keyof typeof PATHS

/**
 * A drawing of 16 px in the colour of the text around it. A screen reader ignores it and reads the name of its button.
 */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
