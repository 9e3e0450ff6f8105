// Fonts for what Inter lacks and the system may lack: Chinese and Japanese, Korean, symbols and emoji. Each is cut into
// slices by Unicode ranges, and the browser loads a slice when a character of it is shown (docs/decisions/0034-libraries-of-the-window.md).
import '@fontsource/noto-sans-sc/400.css'
import '@fontsource-variable/noto-sans-kr/index.css'
import '@fontsource/noto-sans-symbols-2/400.css'
import '@fontsource/noto-emoji/400.css'
