/** Blocks this thread, for the short waits of opening a file that another program is busy with. */
export function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
