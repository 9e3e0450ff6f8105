export type PressureState = 'calm' | 'soft' | 'hard'

/** Returns which threshold the share of active tokens in the budget has reached. */
export function pressureState(activeShare: number, softThreshold: number, hardThreshold: number): PressureState {
  if (activeShare >= hardThreshold) return 'hard'
  return activeShare >= softThreshold ? 'soft' : 'calm'
}
