import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { KEY, NEVER, provider, request, summarizerOf, TOLD } from './ask-model.ts'
import { codeOf, good, type ModelServer, promptOf, startModelServer } from './model-server.ts'

let server: ModelServer
const printed: unknown[] = []
beforeAll(async () => {
  server = await startModelServer(good())
})
afterAll(() => server.close())
beforeEach(() => {
  printed.length = 0
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, name).mockImplementation((...args) => void printed.push(...args))
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void printed.push(warning))
})
afterEach(() => {
  vi.restoreAllMocks()
  expect(printed).toEqual([])
})

const last = () => {
  const asked = server.asked.at(-1)
  if (!asked) throw new Error('nothing was asked')
  return asked
}

describe('a request to an OpenAI-compatible server', () => {
  it('is one chat completion with the key as a bearer token and nowhere else', async () => {
    const answer = await summarizerOf(provider(server.url)).summarize(request(), NEVER)
    expect(answer).toEqual({ text: 'A summary.', inputTokens: 120, outputTokens: 30 })
    const asked = last()
    expect(asked.path).toBe('/v1/chat/completions')
    expect(asked.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(JSON.stringify(asked.body)).not.toContain(KEY)
    expect(asked.body).toMatchObject({ model: 'tiny-1', temperature: 0.2, max_tokens: 800 })
    expect(asked.body.stream ?? false).toBe(false)
  })

  it('has a lower temperature and half the target at the aggressive level', async () => {
    await summarizerOf(provider(server.url)).summarize(request({ level: 'aggressive' }), NEVER)
    expect(last().body).toMatchObject({ temperature: 0.1 })
    expect(promptOf(last()).prompt).toContain('Aim at 300 tokens')
    expect(promptOf(last()).prompt).toContain('bullet points')
  })

  it('has no authorization when there is no key', async () => {
    await summarizerOf(provider(server.url), { key: null }).summarize(request(), NEVER)
    expect(last().headers.authorization).toBeUndefined()
  })

  it('is sent to the right path when the base URL ends in a slash', async () => {
    await summarizerOf(provider(`${server.url}/`)).summarize(request(), NEVER)
    expect(last().path).toBe('/v1/chat/completions')
  })
})

describe('a request to Anthropic', () => {
  it('is one message with the key in its header and nowhere else', async () => {
    const settings = provider(server.url, { kind: 'anthropic', model: 'claude-haiku-4-5' })
    const answer = await summarizerOf(settings).summarize(request(), NEVER)
    expect(answer).toEqual({ text: 'A summary.', inputTokens: 120, outputTokens: 30 })
    const asked = last()
    expect(asked.path).toBe('/v1/messages')
    expect(asked.headers['x-api-key']).toBe(KEY)
    expect(asked.headers['anthropic-version']).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(asked.headers.authorization).toBeUndefined()
    expect(JSON.stringify(asked.body)).not.toContain(KEY)
    expect(asked.body).toMatchObject({ model: 'claude-haiku-4-5', temperature: 0.2, max_tokens: 800 })
  })

  it('contains no key of the environment that the settings do not name', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-not-meant')
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'not-meant-either')
    try {
      await summarizerOf(provider(server.url, { kind: 'anthropic' }), { key: null }).summarize(request(), NEVER)
      expect(JSON.stringify(last().headers)).not.toContain('not-meant')
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('has no temperature when the model does not accept one, and warns nobody', async () => {
    await summarizerOf(provider(server.url, { kind: 'anthropic', model: 'claude-opus-9' })).summarize(request(), NEVER)
    expect(last().body.temperature).toBeUndefined()
  })
})

describe.each(['openai-compatible', 'anthropic'] as const)('a conversation sent as %s', (kind) => {
  it('stands between tags with the code of the call, which is new in every call', async () => {
    const codes = new Set<string>()
    for (let call = 0; call < 3; call += 1) {
      await summarizerOf(provider(server.url, { kind })).summarize(request({ previousSummary: 'Told before.' }), NEVER)
      const { system, prompt } = promptOf(last())
      const code = codeOf(last())
      expect(code).toMatch(/^[0-9a-f]{32}$/)
      expect(system).toContain(`<record-${code}>`)
      expect(system).not.toContain(TOLD)
      expect(prompt).toContain(
        `<record-${code}>\n#${code.slice(0, 8)} user, 2026-02-13 09:30Z\n${TOLD}\n</record-${code}>`,
      )
      expect(prompt).toContain(`<earlier-${code}>\nTold before.\n</earlier-${code}>`)
      expect(prompt.split(TOLD)).toHaveLength(2)
      codes.add(code)
    }
    expect(codes.size).toBe(3)
  })
})
