/** What `npm run bench` takes, with and without `--against`. */
export const benchOptions = {
  messages: { type: 'string', default: '200000' },
  /** How long the summariser takes on which the gain of asking four times at once is measured. */
  delay: { type: 'string', default: '1000' },
  /** A folder with transcripts of an agent, whose import is measured beside that of made ones. */
  transcripts: { type: 'string' },
  /** Only the JSON document. */
  json: { type: 'boolean', default: false },
} as const
