/** All windows that are not destroyed, oldest first. Apart, because app and windows both need it. */
export const openWindows = []
