import type { Shell } from './command.ts';

/** The scripts that `trawl completion` prints. They pass the words up to the cursor to `trawl completion suggest`. */

const BASH = `# Completion of trawl for bash. To install: echo 'source <(trawl completion bash)' >> ~/.bashrc
_trawl() {
  local line path word=\${COMP_WORDS[COMP_CWORD]}
  # Bash splits --option=value into three words.
  if [ "$word" = = ]; then word=; fi
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files | :folders)
        compopt -o filenames 2>/dev/null
        local action=-f
        if [ "$line" = :folders ]; then action=-d; fi
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$action" -- "$word")
        ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" completion suggest bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -F _trawl trawl`;

const ZSH = `#compdef trawl
# Completion of trawl for zsh. To install: echo 'source <(trawl completion zsh)' >> ~/.zshrc (after compinit)
_trawl() {
  local line value description paths tab=$'\\t'
  local -a suggestions
  while IFS= read -r line; do
    case $line in
      :files | :folders) paths=$line ;;
      *)
        value=\${line%%$tab*}
        description=\${line#"$value"}
        description=\${description#$tab}
        suggestions+=("\${value//:/\\\\:}:\${description}")
        ;;
    esac
  done < <("\${words[1]}" completion suggest zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)
  if (( \${#suggestions} )); then _describe trawl suggestions; fi
  if [[ -n $paths ]]; then
    compset -P '--*='
    if [[ $paths == :folders ]]; then _files -/; else _files; fi
  fi
}
if [[ \${funcstack[1]} == _trawl ]]; then _trawl "$@"; else compdef _trawl trawl; fi`;

const FISH = `# Completion of trawl for fish. To install: trawl completion fish > ~/.config/fish/completions/trawl.fish
function __trawl_suggest
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  for line in ($words[1] completion suggest fish -- $words[2..-1] "$word" 2>/dev/null </dev/null)
    switch $line
      case ':files' ':folders'
        set -l option (string match -r '^--[^=]*=' -- "$word")
        set -l path (string replace -r '^--[^=]*=' '' -- "$word")
        set -l found (__fish_complete_path "$path")
        if test $line = ':folders'
          set found (__fish_complete_directories "$path")
        end
        for each in $found
          echo "$option$each"
        end
      case '*'
        echo $line
    end
  end
end
complete -c trawl -f -a '(__trawl_suggest)'`;

export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
