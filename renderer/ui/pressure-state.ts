export type PressureState = 'calm' | 'soft' | 'hard'

/** Which threshold the pressure has reached. */
export function pressureState(pressure: number, softThreshold: number, hardThreshold: number): PressureState {
  if (pressure >= hardThreshold) return 'hard'
  return pressure >= softThreshold ? 'soft' : 'calm'
}
