import { useState } from 'react'
import { useKeys } from '../../ui/use-keys.ts'
import { type LineageDirection, useLineageStep } from '../../ui/use-lineage-step.ts'

const NOTHING = {
  sources: 'has no sources',
  dependents: 'is in no summary',
} as const

/**
 * Binds `→` to the first dependent of the selection and `←` to its first source.
 * @returns why the last of these keys led nowhere, or null
 */
export function useLineageKeys(selection: string | null, onSelect: (id: string) => void): string | null {
  const step = useLineageStep()
  const [end, setEnd] = useState<{ readonly id: string; readonly direction: LineageDirection } | null>(null)
  const go = (direction: LineageDirection) => () => {
    if (selection === null) return false
    setEnd(null)
    // A node that is gone by now has no neighbours either. The detail panel says so.
    const found = step(selection, direction).catch(() => null)
    void found.then((id) => (id === null ? setEnd({ id: selection, direction }) : onSelect(id)))
    return true
  }
  useKeys({ ArrowRight: go('dependents'), ArrowLeft: go('sources') })
  return end !== null && end.id === selection ? `${end.id} ${NOTHING[end.direction]}` : null
}
