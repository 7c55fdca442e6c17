# docker build -t workshop . && docker run --rm -p 127.0.0.1:8888:8888 workshop
# Not yet built by us. bubblewrap needs user namespaces: for `grade` add --security-opt seccomp=unconfined.
FROM python:3.13-slim
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap git && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home learner
USER learner
WORKDIR /home/learner/workshop
COPY --chown=learner . .
RUN pip install --user --no-cache-dir -r requirements.txt
ENV WORKSHOP_NO_VENV=1 PYTHONUTF8=1
EXPOSE 8888
CMD ["python", "-m", "workshop", "lab", "--no-browser", "--ip", "0.0.0.0", "--port", "8888"]
