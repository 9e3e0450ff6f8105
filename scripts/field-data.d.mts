export function fieldData(): string
export function isFieldData(folder: string): boolean
