import { navigate } from '../../routes.ts'
import { Segmented } from '../../ui/segmented.tsx'

const KINDS = [
  { value: 'find', label: 'Find', hint: 'Every text that has these words' },
  { value: 'ask', label: 'Ask', hint: 'A question, answered from the best passages' },
] as const

/** Find texts, or ask a question. */
export function KindSwitch({ isAsking }: { readonly isAsking: boolean }) {
  return (
    <Segmented
      label="Find or ask"
      options={KINDS}
      value={isAsking ? 'ask' : 'find'}
      onChange={(kind) => navigate({ isAsking: kind === 'ask' }, 'replace')}
    />
  )
}
