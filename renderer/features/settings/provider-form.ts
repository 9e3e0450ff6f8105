import { ProviderSettings } from '#core/contract/provider.ts'
import type { Problems } from '#renderer/ui/controls/form-field.tsx'

/** What the user typed about a provider. The fields are texts until they are checked together. */
export type ProviderForm = {
  readonly name: string
  readonly kind: ProviderSettings['kind']
  readonly baseUrl: string
  readonly model: string
  readonly keyVariable: string
  readonly timeoutSeconds: string
  readonly maxOutputTokens: string
  readonly inputPrice: string
  readonly outputPrice: string
}

export type ProviderField = keyof ProviderForm
export type ProviderProblems = Problems<ProviderField>

export const EMPTY_PROVIDER: ProviderForm = {
  name: '',
  kind: 'openai-compatible',
  baseUrl: '',
  model: '',
  keyVariable: '',
  timeoutSeconds: '60',
  maxOutputTokens: '4000',
  inputPrice: '',
  outputPrice: '',
}

export type KnownService = Pick<ProviderForm, 'name' | 'kind' | 'baseUrl' | 'keyVariable'> & { readonly label: string }

/** The addresses of common services. */
export const KNOWN_SERVICES: readonly KnownService[] = [
  {
    label: 'Anthropic',
    name: 'anthropic',
    kind: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariable: 'ANTHROPIC_API_KEY',
  },
  {
    label: 'OpenAI',
    name: 'openai',
    kind: 'openai-compatible',
    baseUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
  },
  {
    label: 'OpenRouter',
    name: 'openrouter',
    kind: 'openai-compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
  },
  {
    label: 'Ollama, on this machine',
    name: 'ollama',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyVariable: '',
  },
  {
    label: 'LM Studio, on this machine',
    name: 'lm-studio',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyVariable: '',
  },
  {
    label: 'vLLM, on this machine',
    name: 'vllm',
    kind: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyVariable: '',
  },
]

/** What a field accepts; completes "expected …". */
const ACCEPTS: Readonly<Record<ProviderField, string>> = {
  name: 'small letters, digits, dots and dashes, 64 at most',
  kind: 'one of the three',
  baseUrl: 'an address that begins with http:// or https://',
  model: 'the name of a model',
  keyVariable: 'the name of an environment variable in capitals, or nothing',
  timeoutSeconds: 'a number from 0.1 to 600',
  maxOutputTokens: 'a whole number from 16 to 100,000',
  inputPrice: 'a number from 0, or nothing',
  outputPrice: 'a number from 0, or nothing',
}

const FIELD_OF: Readonly<Record<keyof ProviderSettings, ProviderField>> = {
  name: 'name',
  kind: 'kind',
  baseUrl: 'baseUrl',
  model: 'model',
  keyVariable: 'keyVariable',
  timeoutMs: 'timeoutSeconds',
  maxOutputTokens: 'maxOutputTokens',
  inputPrice: 'inputPrice',
  outputPrice: 'outputPrice',
}

export const formOf = (provider: ProviderSettings): ProviderForm => ({
  ...provider,
  keyVariable: provider.keyVariable ?? '',
  timeoutSeconds: String(provider.timeoutMs / 1000),
  maxOutputTokens: String(provider.maxOutputTokens),
  inputPrice: provider.inputPrice === null ? '' : String(provider.inputPrice),
  outputPrice: provider.outputPrice === null ? '' : String(provider.outputPrice),
})

/**
 * Returns the provider that a form describes, or the error of each field. `taken` are the names of the other providers.
 */
export function providerOf(
  form: ProviderForm,
  taken: readonly string[],
): { readonly provider: ProviderSettings } | { readonly problems: ProviderProblems } {
  const number = (text: string) => (text.trim() === '' ? null : Number(text.trim()))
  const parsed = ProviderSettings.safeParse({
    name: form.name.trim(),
    kind: form.kind,
    baseUrl: form.baseUrl.trim(),
    model: form.model.trim(),
    keyVariable: form.keyVariable.trim() || null,
    timeoutMs: Math.round((number(form.timeoutSeconds) ?? Number.NaN) * 1000),
    maxOutputTokens: number(form.maxOutputTokens),
    inputPrice: number(form.inputPrice),
    outputPrice: number(form.outputPrice),
  })
  if (parsed.success && !taken.includes(parsed.data.name)) return { provider: parsed.data }
  if (parsed.success) return { problems: { name: 'Another provider has this name.' } }
  const wrong = parsed.error.issues.flatMap(({ path: [key] }) =>
    Object.entries(FIELD_OF).filter(([name]) => name === key),
  )
  return { problems: Object.fromEntries(wrong.map(([, field]) => [field, `Expected ${ACCEPTS[field]}.`])) }
}
