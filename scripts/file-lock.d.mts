export function withFileLock<T>(path: string, purpose: string, work: () => Promise<T>): Promise<T>
