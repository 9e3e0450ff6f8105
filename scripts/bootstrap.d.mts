/** Installs what is missing. @returns the path of the project's own Node 24 */
export declare function bootstrap(): Promise<string>
