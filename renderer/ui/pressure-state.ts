export type PressureState = 'calm' | 'soft' | 'hard'

/** Which threshold is reached by active tokens ÷ budget. */
export function pressureState(activeShare: number, softThreshold: number, hardThreshold: number): PressureState {
  if (activeShare >= hardThreshold) return 'hard'
  return activeShare >= softThreshold ? 'soft' : 'calm'
}
