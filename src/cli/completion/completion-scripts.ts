import { print } from '#cli/terminal/print.ts';

/** The scripts pass the words up to the cursor to `trawl completion suggest`. Without a suggestion, shells complete paths. */
const SCRIPTS = {
  bash: `_trawl() {
  local word description
  COMPREPLY=()
  while IFS=$'\\t' read -r word description; do
    COMPREPLY+=("$word")
  done < <("\${COMP_WORDS[0]}" completion suggest -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -o default -F _trawl trawl`,

  zsh: `#compdef trawl
_trawl() {
  local word description
  local -a suggestions
  while IFS=$'\\t' read -r word description; do
    suggestions+=("\${word//:/\\\\:}:\${description}")
  done < <("\${words[1]}" completion suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)
  if (( \${#suggestions} )); then _describe trawl suggestions; else _files; fi
}
if [[ \${funcstack[1]} == _trawl ]]; then _trawl "$@"; else compdef _trawl trawl; fi`,

  fish: `function __trawl_suggest
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  set -l suggestions ($words[1] completion suggest -- $words[2..-1] "$word" 2>/dev/null </dev/null)
  if set -q suggestions[1]
    printf '%s\\n' $suggestions
  else
    __fish_complete_path "$word"
  end
end
complete -c trawl -f -a '(__trawl_suggest)'`,
};

export const printScript = async (shell: keyof typeof SCRIPTS): Promise<void> => print(SCRIPTS[shell]);
