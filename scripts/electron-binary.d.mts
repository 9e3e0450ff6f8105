export function findElectron(): string | undefined
export function fetchElectron(): Promise<string | undefined>
export function hasDisplay(): boolean
