// Gives the token to the gateway, which keeps it in a cookie that no script can read.

const field = document.getElementById("token");
const wrong = document.getElementById("wrong");

document.getElementById("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  wrong.textContent = "";
  try {
    const response = await fetch("/api/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: field.value.trim() }),
    });
    if (response.ok) location.replace(`/${location.hash}`);
    else wrong.textContent = response.status === 429 ? "Too many tries. Wait a minute." : "That is not the token.";
  } catch {
    wrong.textContent = "The gateway cannot be reached.";
  }
  field.select();
});
